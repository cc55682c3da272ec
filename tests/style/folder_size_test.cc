#include "tests/style/folder_size.h"

#include <string>

#include "gtest/gtest.h"

namespace prequel::style::folder_size_test {
namespace {

std::vector<SourceFile> Folder(const std::string& folder, int files) {
  std::vector<SourceFile> tree;
  for (int i = 0; i < files; ++i) {
    tree.push_back({folder + "f" + std::to_string(i) + (i % 2 == 0 ? ".cc" : ".h"), ""});
  }
  return tree;
}

TEST(CheckFolderSizes, TwentySixFilesAreAllowedAndOneMoreIsNot) {
  EXPECT_TRUE(CheckFolderSizes(Folder("core/x/", 26), {}).empty());
  const auto findings = CheckFolderSizes(Folder("core/x/", 27), {});
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(Describe(findings[0]).substr(0, 42), "core/x/: has 27 files, the limit is 26: a ");
  EXPECT_EQ(CheckFolderSizes(Folder("client/", 27), {}).size(), 1U);
  EXPECT_EQ(CheckFolderSizes(Folder("server/x/y/", 27), {}).size(), 1U);
}

TEST(CheckFolderSizes, RoomsBuildFilesAndDocumentsDoNotCount) {
  std::vector<SourceFile> tree = Folder("core/x/", 26);
  tree.push_back({"core/x/README.md", ""});
  tree.push_back({"core/x/CMakeLists.txt", ""});
  tree.push_back({"core/x/y/room.h", ""});
  EXPECT_TRUE(CheckFolderSizes(tree, {}).empty());
}

TEST(CheckFolderSizes, SetsOfAlternativesAndOtherTreesMayBeLarger) {
  EXPECT_TRUE(CheckFolderSizes(Folder("core/x/", 99), {"core/x/"}).empty());
  EXPECT_EQ(CheckFolderSizes(Folder("core/x/y/", 99), {"core/x/"}).size(), 1U);
  EXPECT_TRUE(CheckFolderSizes(Folder("tests/core/x/", 99), {}).empty());
}

}  // namespace
}  // namespace prequel::style::folder_size_test
