#include "tests/style/function_length.h"

#include <string>

#include "gtest/gtest.h"

namespace prequel::style::function_length_test {
namespace {

std::string FunctionOf(int lines) {
  std::string text = "void f() {\n";
  for (int i = 2; i < lines; ++i) text += "  g();\n";
  return text + "}\n";
}

TEST(CheckFunctionLengths, SixtyLinesAreAllowedAndSixtyOneAreNot) {
  EXPECT_TRUE(CheckFunctionLengths({"core/a.cc", FunctionOf(60)}).empty());
  const auto findings = CheckFunctionLengths({"core/a.cc", "namespace a {\n" + FunctionOf(61)});
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].line, 2);
  EXPECT_NE(findings[0].message.find("61 lines"), std::string::npos);
}

}  // namespace
}  // namespace prequel::style::function_length_test
