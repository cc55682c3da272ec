#include "tests/style/class_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace prequel::style::class_files_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ClassOf, IsWhatQualifiesTheName) {
  EXPECT_EQ(ClassOf("int f(int x) "), "");
  EXPECT_EQ(ClassOf("void A::f() const "), "A");
  EXPECT_EQ(ClassOf("A::A(std::map<int, B::C> x) : x_(D::e(x)) "), "A");
  EXPECT_EQ(ClassOf("A::~A() "), "A");
  EXPECT_EQ(ClassOf("absl::StatusOr<std::unique_ptr<E>> A::B::Make(\n    int x)"), "A::B");
  EXPECT_EQ(ClassOf("template <class T>\nvoid A<T, f(1)>::B::g(T x)"), "A::B");
  EXPECT_EQ(ClassOf("std::function<void(int)> A::f()"), "A");
  EXPECT_EQ(ClassOf("absl::Status Free(const A::B& b)"), "");
  EXPECT_EQ(ClassOf("A::operator bool() const"), "A");
  EXPECT_EQ(ClassOf("bool A::operator<(const A& b) const"), "A");
  EXPECT_EQ(ClassOf("void A::operator()(int x)"), "A");
  EXPECT_EQ(ClassOf("std::ostream& operator<<(std::ostream& out, const A::B& b)"), "");
  EXPECT_EQ(ClassOf("A::B* Find()"), "");
}

std::vector<std::string> Found(const std::vector<SourceFile>& tree) {
  std::vector<std::string> paths;
  for (const Finding& finding : CheckClassFiles(tree)) paths.push_back(finding.path);
  return paths;
}

TEST(CheckClassFiles, FindsAClassInTwoSources) {
  const SourceFile a{"s/a.cc", "namespace p {\nvoid A::f() {\n}\nvoid A::g() {}\n}\n"};
  EXPECT_THAT(Found({a, {"s/b.cc", "namespace p {\nvoid B::f() { A::h(); }\n}\n"}}), IsEmpty());
  const SourceFile rest{"s/a_rest.cc", "namespace p {\nint x;\nint A::h() { return 1; }\n}\n"};
  const auto findings = CheckClassFiles({a, rest});
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(Describe(findings[0]),
            "s/a.cc:2: defines members of p::A, and so does s/a_rest.cc: "
            "a class that needs two sources is two nouns");
  EXPECT_EQ(findings[1].path, "s/a_rest.cc");
  EXPECT_EQ(findings[1].line, 3);
}

TEST(CheckClassFiles, HeadersAndOtherNamespacesDoNotCount) {
  const SourceFile a{"s/a.cc", "namespace p {\nvoid A::f() {}\n}\n"};
  EXPECT_THAT(Found({a, {"s/a.h", "namespace p {\ninline void A::g() {}\n}\n"}}), IsEmpty());
  EXPECT_THAT(Found({a, {"s/c.cc", "namespace q {\nvoid A::g() {}\n}\n"}}), IsEmpty());
  EXPECT_THAT(Found({a, {"s/c.cc", "namespace p {\nnamespace {\nvoid A::g() {}\n}\n}\n"}}),
              IsEmpty());
}

TEST(CheckClassFiles, ANestedClassIsAPartUnlessItHasAHeader) {
  const SourceFile outer{"s/a.cc", "namespace p {\nvoid A::f() {}\n}\n"};
  const SourceFile inner{"s/a_b.cc", "namespace p {\nvoid A::B::f() {}\n}\n"};
  const SourceFile deeper{"s/a_c.cc", "namespace p {\nvoid A::B::C::f() {}\n}\n"};
  const SourceFile header{"s/a_b.h", "namespace p {\nclass A::B final : public D<A> {\n};\n}\n"};
  EXPECT_THAT(Found({outer, inner}), ElementsAre("s/a.cc", "s/a_b.cc"));
  EXPECT_THAT(Found({outer, inner, header}), IsEmpty());
  EXPECT_THAT(Found({outer, inner, deeper, header}), ElementsAre("s/a_b.cc", "s/a_c.cc"));
  const SourceFile declared{"s/a_b.h", "namespace p {\nfriend class A::B;\n// class A::B {\n}\n"};
  EXPECT_THAT(Found({outer, inner, declared}), ElementsAre("s/a.cc", "s/a_b.cc"));
}

}  // namespace
}  // namespace prequel::style::class_files_test
