// The rules applied to the repository itself.

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "tests/style/basenames.h"
#include "tests/style/build_files.h"
#include "tests/style/class_files.h"
#include "tests/style/comments.h"
#include "tests/style/core_floors.h"
#include "tests/style/folder_size.h"
#include "tests/style/function_length.h"
#include "tests/style/include_layers.h"
#include "tests/style/member_probes.h"
#include "tests/style/named_files.h"
#include "tests/style/part_names.h"
#include "tests/style/source_file.h"
#include "tests/style/text_rules.h"

namespace prequel::style::tree_test {
namespace {

using Rule = std::function<std::vector<Finding>(const SourceFile&)>;

// Tests and benchmarks are not held to the rules about rooms, classes and probes.
bool IsProduct(std::string_view path) {
  constexpr auto kFolders = std::to_array<std::string_view>({"core/", "server/", "client/"});
  return std::any_of(kFolders.begin(), kFolders.end(),
                     [path](std::string_view folder) { return path.starts_with(folder); });
}

void ExpectNoneInTheProduct(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    if (IsProduct(finding.path)) ADD_FAILURE() << Describe(finding);
  }
}

const std::vector<SourceFile>& Tree() {
  static const std::vector<SourceFile> kTree = ReadTree(PREQUEL_SOURCE_ROOT);
  return kTree;
}

std::vector<SourceFile> Product() {
  std::vector<SourceFile> product;
  for (const SourceFile& file : Tree()) {
    if (IsProduct(file.path)) product.push_back(file);
  }
  return product;
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
TEST(Tree, RoomsOfCoreStandOnFloors) { ExpectNoFindings(CheckFloors); }
TEST(Tree, FilesAndLinesAreShort) { ExpectNoFindings(CheckLengths); }
TEST(Tree, FunctionsAreShort) { ExpectNoFindings(CheckFunctionLengths); }
TEST(Tree, PagesAreShort) { ExpectNoFindings(CheckPages); }
TEST(Tree, NamesSayWhatIsInside) { ExpectNoFindings(CheckNames); }
TEST(Tree, TextIsClean) { ExpectNoFindings(CheckText); }
TEST(Tree, HeadersHavePragmaOnce) { ExpectNoFindings(CheckPragmaOnce); }

TEST(Tree, FoldersAreRooms) {
  ExpectNoneInTheProduct(CheckFolderSizes(Tree(), SetsOfAlternatives()));
}

TEST(Tree, ABasenameIsOneFile) {
  for (const Finding& finding : CheckBasenames(Product())) ADD_FAILURE() << Describe(finding);
}

TEST(Tree, PartsAreNotAskedForByName) {
  for (const Finding& finding : CheckPartNames(Product())) ADD_FAILURE() << Describe(finding);
}

TEST(Tree, AClassLivesInOneSource) { ExpectNoneInTheProduct(CheckClassFiles(Tree())); }

TEST(Tree, CommentsNameTheirSubject) {
  for (const SourceFile& file : Tree()) ExpectNoneInTheProduct(CheckComments(file));
}

TEST(Tree, PartsAreNotProbed) {
  for (const SourceFile& file : Tree()) ExpectNoneInTheProduct(CheckMemberProbes(file));
}

TEST(Tree, FilesThatPagesNameAreThere) {
  for (const Finding& finding : CheckNamedFiles(Tree())) ADD_FAILURE() << Describe(finding);
}

TEST(Tree, SourcesAreCompiled) {
  for (const Finding& finding : CheckCompiled(Tree())) ADD_FAILURE() << Describe(finding);
}

}  // namespace
}  // namespace prequel::style::tree_test
