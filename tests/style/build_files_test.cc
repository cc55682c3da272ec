#include "tests/style/build_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace prequel::style::build_files_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> NotCompiled(const std::vector<SourceFile>& tree) {
  std::vector<std::string> paths;
  for (const Finding& finding : CheckCompiled(tree)) paths.push_back(finding.path);
  return paths;
}

TEST(CheckCompiled, FindsWhatIsNotNamed) {
  const SourceFile list{"a/CMakeLists.txt", "add_library(a SOURCES\n  one.cc one.h two.cc)\n"};
  EXPECT_THAT(NotCompiled({list, {"a/one.cc", ""}, {"a/two.cc", ""}}), IsEmpty());
  EXPECT_THAT(NotCompiled({list, {"a/one.cc", ""}, {"a/tow.cc", ""}, {"a/only.h", ""}}),
              ElementsAre("a/tow.cc"));
  EXPECT_THAT(NotCompiled({list, {"b/one.cc", ""}, {"a/b/one.cc", ""}, {"a/one.ccc", ""}}),
              ElementsAre("b/one.cc", "a/b/one.cc"));
}

TEST(CheckCompiled, KnowsGlobsVariablesAndPaths) {
  const SourceFile list{"a/CMakeLists.txt",
                        "file(GLOB_RECURSE x ${CMAKE_CURRENT_SOURCE_DIR}/*_test.cc)\n"
                        "f(${name}_fuzzer.cc) g(\"deep/three.cc\" ${PROJECT_SOURCE_DIR}/b/c.cc)"};
  EXPECT_THAT(NotCompiled({list,
                           {"a/one_test.cc", ""},
                           {"a/deep/two_test.cc", ""},
                           {"a/csv_fuzzer.cc", ""},
                           {"b/c.cc", ""},
                           {"a/deep/three.cc", ""}}),
              IsEmpty());
  EXPECT_THAT(NotCompiled({list, {"a/one_tests.cc", ""}, {"a/three.cc", ""}}),
              ElementsAre("a/one_tests.cc", "a/three.cc"));
}

}  // namespace
}  // namespace prequel::style::build_files_test
