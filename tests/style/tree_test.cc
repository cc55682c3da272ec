// The rules applied to the repository itself.

#include <functional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/style/build_files.h"
#include "tests/style/function_length.h"
#include "tests/style/include_layers.h"
#include "tests/style/source_file.h"
#include "tests/style/text_rules.h"

namespace prequel::style {
namespace {

using Rule = std::function<std::vector<Finding>(const SourceFile&)>;

const std::vector<SourceFile>& Tree() {
  static const std::vector<SourceFile> kTree = ReadTree(PREQUEL_SOURCE_ROOT);
  return kTree;
}

void ExpectNoFindings(const Rule& rule) {
  for (const SourceFile& file : Tree()) {
    for (const Finding& finding : rule(file)) ADD_FAILURE() << Describe(finding);
  }
}

// Without this a wrong root would satisfy every rule below.
TEST(Tree, HoldsTheRepository) {
  const auto has = [](std::string_view path) {
    for (const SourceFile& file : Tree()) {
      if (file.path == path && !file.text.empty()) return true;
    }
    return false;
  };
  EXPECT_TRUE(has("CMakeLists.txt"));
  EXPECT_TRUE(has("dev"));
  EXPECT_TRUE(has("cmake/PrequelTest.cmake"));
  EXPECT_TRUE(has("tests/style/tree_test.cc"));
}

TEST(Tree, IncludesFollowTheLayers) { ExpectNoFindings(CheckIncludes); }
TEST(Tree, FilesAndLinesAreShort) { ExpectNoFindings(CheckLengths); }
TEST(Tree, FunctionsAreShort) { ExpectNoFindings(CheckFunctionLengths); }
TEST(Tree, NamesSayWhatIsInside) { ExpectNoFindings(CheckNames); }
TEST(Tree, TextIsClean) { ExpectNoFindings(CheckText); }
TEST(Tree, HeadersHavePragmaOnce) { ExpectNoFindings(CheckPragmaOnce); }

TEST(Tree, SourcesAreCompiled) {
  for (const Finding& finding : CheckCompiled(Tree())) ADD_FAILURE() << Describe(finding);
}

}  // namespace
}  // namespace prequel::style
