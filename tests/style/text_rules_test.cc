#include "tests/style/text_rules.h"

#include <string>

#include "gtest/gtest.h"

namespace prequel::style::text_rules_test {
namespace {

std::string Repeat(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(CheckLengths, FilesOfFourHundredLines) {
  EXPECT_TRUE(CheckLengths({"core/a.cc", Repeat("\n", 400)}).empty());
  EXPECT_EQ(CheckLengths({"core/a.cc", Repeat("\n", 401)}).size(), 1U);
  EXPECT_EQ(CheckLengths({"dev", Repeat("\n", 401)}).size(), 1U);
  EXPECT_TRUE(CheckLengths({"README.md", Repeat("\n", 401)}).empty());
}

TEST(CheckLengths, LinesOfAHundredColumns) {
  EXPECT_TRUE(CheckLengths({"core/a.cc", Repeat("x", 100) + "\n"}).empty());
  EXPECT_TRUE(CheckLengths({"core/a.cc", Repeat("θ", 100) + "\n"}).empty());
  const auto findings = CheckLengths({"core/a.cc", "\n" + Repeat("x", 101) + "\n"});
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(Describe(findings[0]), "core/a.cc:2: has 101 columns, the limit is 100");
}

TEST(CheckPages, ReadmesOfTwoHundredLines) {
  EXPECT_TRUE(CheckPages({"core/README.md", Repeat("\n", 200)}).empty());
  EXPECT_EQ(CheckPages({"core/README.md", Repeat("\n", 201)}).size(), 1U);
  EXPECT_EQ(CheckPages({"README.md", Repeat("\n", 201)}).size(), 1U);
  EXPECT_TRUE(CheckPages({"core/math/rules.md", Repeat("\n", 201)}).empty());
}

TEST(CheckNames, DrawersByAnySpelling) {
  EXPECT_EQ(CheckNames({"core/utils/a.h", ""}).size(), 1U);
  EXPECT_EQ(CheckNames({"core/string_util.h", ""}).size(), 1U);
  EXPECT_EQ(CheckNames({"server/model_manager.cc", ""}).size(), 1U);
  EXPECT_EQ(CheckNames({"tests/helpers.h", ""}).size(), 1U);
  EXPECT_EQ(CheckNames({"server/common/x.h", ""}).size(), 1U);
  EXPECT_TRUE(CheckNames({"core/commonality.h", ""}).empty());
}

TEST(CheckText, TabsSpacesNewlinesAndNotes) {
  EXPECT_TRUE(CheckText({"core/a.cc", "int x;\n"}).empty());
  EXPECT_EQ(CheckText({"core/a.cc", "\tint x;\n"}).size(), 1U);
  EXPECT_EQ(CheckText({"core/a.cc", "int x; \n"}).size(), 1U);
  EXPECT_EQ(CheckText({"core/a.cc", "int x;"}).size(), 1U);
  EXPECT_EQ(CheckText({"core/a.cc",
                       "// TO"
                       "DO(me): later\n"})
                .size(),
            1U);
  EXPECT_EQ(CheckText({"README.md",
                       "FIX"
                       "ME\n"})
                .size(),
            1U);
  EXPECT_TRUE(CheckText({"README.md", "two spaces break a line  \n"}).empty());
}

TEST(CheckPragmaOnce, BeforeAnythingButComments) {
  EXPECT_TRUE(CheckPragmaOnce({"core/a.h", "// What this is.\n\n#pragma once\n"}).empty());
  EXPECT_EQ(CheckPragmaOnce({"core/a.h", "#include <vector>\n#pragma once\n"}).size(), 1U);
  EXPECT_EQ(CheckPragmaOnce({"core/a.h", ""}).size(), 1U);
  EXPECT_TRUE(CheckPragmaOnce({"core/a.cc", ""}).empty());
}

}  // namespace
}  // namespace prequel::style::text_rules_test
