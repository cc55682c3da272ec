#include "tests/style/member_probes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace prequel::style::member_probes_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<int> LinesOf(const std::string& text) {
  std::vector<int> lines;
  for (const Finding& finding : CheckMemberProbes({"core/a.h", text}))
    lines.push_back(finding.line);
  return lines;
}

TEST(CheckMemberProbes, FindsThemInBranchesConstantsAndConstraints) {
  EXPECT_THAT(LinesOf("int f() {\n  if constexpr (requires { x.covariance; }) return 1;\n}\n"),
              ElementsAre(2));
  EXPECT_THAT(LinesOf("if constexpr (!requires(T t) {\n t.x; }) {}\n"), ElementsAre(1));
  EXPECT_THAT(LinesOf("constexpr bool kHas =\n requires (T& t) { t.x; };\n"), ElementsAre(2));
  EXPECT_THAT(LinesOf("return a &&\n requires { typename T::X; };\n"), ElementsAre(2));
  EXPECT_THAT(LinesOf("template <class T>\nrequires requires(T t) { t.x; }\nvoid f();\n"),
              ElementsAre(2));
  EXPECT_THAT(LinesOf("requires { a; }\nrequires { b; }\n"), ElementsAre(1, 2));
}

TEST(CheckMemberProbes, ConceptsMayAndMayNest) {
  EXPECT_THAT(LinesOf("template <class T>\nconcept C = requires(T t) {\n  { t.x } -> Same<int>;\n"
                      "  requires requires { typename T::Y; };\n};\n"),
              IsEmpty());
  EXPECT_THAT(LinesOf("template <class T>\nconcept C = A<T> && requires { T::kX; };\n"
                      "const bool kB = requires { T::kX; };\n"),
              ElementsAre(3));
}

TEST(CheckMemberProbes, ClausesCommentsAndWordsAreNone) {
  EXPECT_THAT(LinesOf("template <class T>\n  requires std::is_class_v<T>\nvoid f() {\n}\n"),
              IsEmpty());
  EXPECT_THAT(LinesOf("template <class T> requires (C<T> && D<T>)\nstruct S { int x; };\n"
                      "void f() const requires (C<T>) { g(); }\n"),
              IsEmpty());
  EXPECT_THAT(LinesOf("// requires { x; }\nconst char* s = \"requires { x; }\";\n"
                      "int requires_more(int x) { return x; }\n"),
              IsEmpty());
  EXPECT_TRUE(CheckMemberProbes({"core/README.md", "requires { x; }\n"}).empty());
}

}  // namespace
}  // namespace prequel::style::member_probes_test
