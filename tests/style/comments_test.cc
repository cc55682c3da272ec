#include "tests/style/comments.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace prequel::style::comments_test {
namespace {

std::vector<Finding> Check(const std::string& text) { return CheckComments({"core/a.h", text}); }

TEST(Comments, OneThatBeginsWithAFragmentIsFound) {
  for (const std::string begin : {"Of", "The same", "As", "They", "Those", "That one"}) {
    const std::vector<Finding> findings =
        Check("int a;\n\n  // " + begin + " of the rows.\nint b;\n");
    ASSERT_EQ(findings.size(), 1u) << begin;
    EXPECT_EQ(findings[0].line, 3);
  }
}

TEST(Comments, WhatGoesOnOrOnlyBeginsAlikeIsNot) {
  EXPECT_TRUE(Check("// The rows are counted.\n// Of these some are refused.\nint a;\n").empty());
  EXPECT_TRUE(Check("// Often the rows are few.\nint a;\n").empty());
  EXPECT_TRUE(Check("// Assigns the rows.\nint a;\n").empty());
  EXPECT_TRUE(Check("int a;  // Of the rows\n").empty());
  EXPECT_TRUE(CheckComments({"core/README.md", "// Of rows\n"}).empty());
}

// An empty line of a comment does not begin another one.
TEST(Comments, AnEmptyLineBelongsToIt) {
  EXPECT_TRUE(Check("// The rows.\n//\n// Of these some are refused.\nint a;\n").empty());
  EXPECT_EQ(Check("// The rows.\n\n// Of these some are refused.\nint a;\n").size(), 1u);
}

}  // namespace
}  // namespace prequel::style::comments_test
