#include "tests/style/part_names.h"

#include <string>

#include "gtest/gtest.h"

namespace prequel::style::part_names_test {
namespace {

const SourceFile kPart = {"core/rules/adam.h",
                          "// Kingma and Ba.\nclass Adam final {\n  static constexpr "
                          "std::string_view kName = \"adam\";\n};\n"};

std::vector<Finding> Check(const std::string& path, const std::string& line) {
  return CheckPartNames({kPart, {path, "\n" + line + "\n"}});
}

TEST(PartNames, NobodyOutsideTheRoomAsksByName) {
  for (const std::string line :
       {"if (std::holds_alternative<Adam>(rule)) f();", "auto* a = std::get_if<Adam>(&rule);",
        "f(std::get<Adam>(rule));", "if constexpr (std::same_as<R, Adam>) f();",
        "config.name = Adam::kName;"}) {
    const std::vector<Finding> findings = Check("core/learner/fit.cc", line);
    ASSERT_EQ(findings.size(), 1U) << line;
    EXPECT_EQ(findings[0].line, 2);
    EXPECT_TRUE(Check("core/rules/rule.h", line).empty()) << line;
  }
}

TEST(PartNames, WhatIsNoPartMayBeAskedFor) {
  EXPECT_TRUE(Check("core/learner/fit.cc", "f(std::get<double>(value), R::kName);").empty());
  EXPECT_TRUE(Check("core/learner/fit.cc", "// std::get<Adam> is not allowed").empty());
  EXPECT_TRUE(Check("core/learner/fit.cc", "NotAdam::kName; Adams::kName;").empty());
}

}  // namespace
}  // namespace prequel::style::part_names_test
