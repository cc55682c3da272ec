// The rules applied to the repository itself.

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "tests/style/build_files.h"
#include "tests/style/class_files.h"
#include "tests/style/folder_size.h"
#include "tests/style/function_length.h"
#include "tests/style/include_layers.h"
#include "tests/style/member_probes.h"
#include "tests/style/source_file.h"
#include "tests/style/text_rules.h"

namespace prequel::style {
namespace {

using Rule = std::function<std::vector<Finding>(const SourceFile&)>;

// Where the rules about rooms, classes and probes hold already; {"core/", "server/", "client/"} and
// nothing else would be everywhere.
constexpr auto kSettled = std::to_array<std::string_view>({
    "client/",
    "core/config/",
    "core/encoding/",
    "core/expansion/",
    "core/linalg/",
    "core/models/",
    "core/random/",
    "core/scores/",
    "server/observe/",
    "server/rpc/",
    "server/sync/",
    "server/wire/",
});

bool IsSettled(std::string_view path) {
  return std::any_of(kSettled.begin(), kSettled.end(),
                     [path](std::string_view folder) { return path.starts_with(folder); });
}

void ExpectNoneWhereSettled(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    if (IsSettled(finding.path)) ADD_FAILURE() << Describe(finding);
  }
}

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

TEST(Tree, FoldersAreRooms) {
  ExpectNoneWhereSettled(CheckFolderSizes(Tree(), SetsOfAlternatives()));
}

TEST(Tree, AClassLivesInOneSource) { ExpectNoneWhereSettled(CheckClassFiles(Tree())); }

TEST(Tree, PartsAreNotProbed) {
  for (const SourceFile& file : Tree()) ExpectNoneWhereSettled(CheckMemberProbes(file));
}

TEST(Tree, SourcesAreCompiled) {
  for (const Finding& finding : CheckCompiled(Tree())) ADD_FAILURE() << Describe(finding);
}

}  // namespace
}  // namespace prequel::style
