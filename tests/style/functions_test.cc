#include "tests/style/functions.h"

#include <string>
#include <utility>

#include "gtest/gtest.h"

namespace prequel::style::functions_test {
namespace {

using Spans = std::vector<std::pair<int, int>>;

Spans Find(std::string_view cpp) {
  Spans spans;
  for (const Function& span : FindFunctions(cpp)) {
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

TEST(FindFunctions, KnowsHeadsAndTheNamespacesAround) {
  const auto functions = FindFunctions(
      "namespace a::b {\nnamespace {\nint f() {}\n}\nclass C {\n  void g() {}\n};\n"
      "absl::Status /* of */ C::h(int x = 1) const {\n}\n}\nvoid i() {}\n");
  ASSERT_EQ(functions.size(), 4U);
  EXPECT_EQ(functions[0].head, "int f() ");
  EXPECT_EQ(functions[0].scope, "a::b::(anonymous)::");
  EXPECT_EQ(functions[1].scope, "a::b::");
  EXPECT_EQ(functions[2].head, "absl::Status          C::h(int x = 1) const ");
  EXPECT_EQ(functions[2].scope, "a::b::");
  EXPECT_EQ(functions[3].scope, "");
}

}  // namespace
}  // namespace prequel::style::functions_test
