#include "tests/style/function_length.h"

#include <string>
#include <utility>

#include "gtest/gtest.h"

namespace prequel::style {
namespace {

using Spans = std::vector<std::pair<int, int>>;

Spans Find(std::string_view cpp) {
  Spans spans;
  for (const FunctionSpan& span : FindFunctions(cpp)) {
    spans.emplace_back(span.first_line, span.last_line);
  }
  return spans;
}

TEST(FindFunctions, FreeFunctionsInNamespaces) {
  EXPECT_EQ(Find("namespace a {\nnamespace {\nint f() {\n  return 1;\n}\n}\n"
                 "inline namespace v1 { void g(); }\nvoid h(int x) { if (x) { y(); } }\n}\n"),
            (Spans{{3, 5}, {8, 8}}));
}

TEST(FindFunctions, MethodsOfClassesAndTemplates) {
  EXPECT_EQ(Find("template <class T, class = std::vector<int>>\nclass A final : public B<T> {\n"
                 " public:\n  int f() const override {\n    return 1;\n  }\n"
                 "  bool operator()(int) const noexcept { return true; }\n private:\n  int x_{3};\n"
                 "};\n"),
            (Spans{{4, 6}, {7, 7}}));
}

TEST(FindFunctions, HeadsOverSeveralLines) {
  EXPECT_EQ(Find("template <typename T>\n  requires std::integral<T>\nstd::vector<int> A::f(\n"
                 "    int a,\n    B b = {}) const& -> std::pair<int, T>\n{\n  return {};\n}\n"),
            (Spans{{1, 8}}));
}

TEST(FindFunctions, ConstructorsWithMemberInitialisers) {
  EXPECT_EQ(Find("A::A(int x) : a_(x), b_{x, {1}}, c_{} {\n  f();\n}\nA::A() : a_{1} {}\n"),
            (Spans{{1, 3}, {4, 4}}));
}

TEST(FindFunctions, InitialisersAndEnumsAreNotFunctions) {
  EXPECT_EQ(Find("enum class E { kA, kB };\nconst int kX[] = {f(1), g(2)};\n"
                 "struct P { int x = 0; std::vector<int> v = {1, 2}; };\n"),
            Spans());
}

TEST(FindFunctions, TestsCountAndTheirLambdasDoNotCountTwice) {
  EXPECT_EQ(Find("TEST(A, B) {\n  auto f = [](int x) {\n    return x;\n  };\n}\n"),
            (Spans{{1, 5}}));
}

TEST(FindFunctions, BracesInCommentsLiteralsAndMacrosDoNotCount) {
  EXPECT_EQ(Find("#define F(x) void f() { \\\n  x {\nint f() {\n  // {\n  /* { */ g(\"{\\\"{\");\n"
                 "  h(R\"x({ \" )\" {)x\", '{', 1'000);\n}\nint g() { return 0; }\n"),
            (Spans{{3, 7}, {8, 8}}));
}

TEST(FindFunctions, AnnotationsAfterTheParameters) {
  EXPECT_EQ(Find("class CAPABILITY(\"mutex\") M {\n  void f() REQUIRES(mu_) {\n  }\n};\n"),
            (Spans{{2, 3}}));
}

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
}  // namespace prequel::style
