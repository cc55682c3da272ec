#include "server/observe/rotated_file.h"

#include <gmock/gmock.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace prequel::rotated_file_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class RotatedFileTest : public ::testing::Test {
 protected:
  RotatedFileTest() {
    std::string name = (fs::temp_directory_path() / "rotated-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    path_ = folder_ / "file";
  }
  ~RotatedFileTest() override { fs::remove_all(folder_); }

  // Of three kept, each as long as one line.
  RotatedFile Open() const { return {path_, 4, 3}; }
  // All in the file of that number; 0: the file itself.
  std::string Text(int number) const {
    std::ifstream file(number == 0 ? path_ : path_ + "." + std::to_string(number));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path folder_;
  std::string path_;
};

TEST_F(RotatedFileTest, KeepsTheNewest) {
  RotatedFile file = Open();
  for (const char* line : {"one\n", "two\n", "tri\n", "for\n", "fiv\n"}) {
    EXPECT_TRUE(file.Write(line).ok());
  }
  EXPECT_EQ(Text(0), "fiv\n");
  EXPECT_EQ(Text(1), "for\n");
  EXPECT_EQ(Text(2), "tri\n");
  EXPECT_EQ(Text(3), "two\n");
  EXPECT_TRUE(file.rotation().ok());
}

TEST_F(RotatedFileTest, GoesOnWhereAnEarlierOneEnded) {
  EXPECT_TRUE(Open().Write("a\n").ok());
  EXPECT_TRUE(Open().Write("b\n").ok());
  EXPECT_EQ(Text(0), "a\nb\n");
}

// As of a file that is mounted on its own: each further line tries again, and must not push another
// of the files out.
TEST_F(RotatedFileTest, GivesUpNothingMoreWhereRenamingStopsHalfway) {
  static bool stops;
  stops = false;
  RotatedFile file(path_, 4, 3, [](const char* from, const char* to) {
    errno = EBUSY;
    return stops && std::string_view(to).ends_with(".1") ? -1 : std::rename(from, to);
  });
  for (const char* line : {"one\n", "two\n", "tri\n", "for\n"}) {
    EXPECT_TRUE(file.Write(line).ok());
  }
  stops = true;
  for (int i = 0; i < 9; ++i) {
    EXPECT_TRUE(file.Write("new\n").ok());
    EXPECT_THAT(std::string(file.rotation().message()),
                HasSubstr("cannot rename " + path_ + ": Device or resource busy"));
  }
  EXPECT_EQ(Text(3), "two\n");
  EXPECT_EQ(Text(2), "tri\n");
  stops = false;
  EXPECT_TRUE(file.Write("end\n").ok());
  EXPECT_TRUE(file.rotation().ok());
  EXPECT_EQ(Text(0), "end\n");
  EXPECT_THAT(Text(1), HasSubstr("for\nnew\n"));
  EXPECT_EQ(Text(2), "tri\n");
  EXPECT_EQ(Text(3), "two\n");
}

TEST_F(RotatedFileTest, BeginsAnotherWhereItWasTakenAway) {
  RotatedFile file = Open();
  EXPECT_TRUE(file.Write("one\n").ok());
  fs::remove(path_);
  EXPECT_TRUE(file.Write("two\n").ok());
  EXPECT_EQ(Text(0), "two\n");
}

TEST_F(RotatedFileTest, WritesAgainOnceItCan) {
  fs::create_symlink("/dev/full", path_);
  RotatedFile file = Open();
  EXPECT_EQ(file.Write("one\n").code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(file.Write("two\n").message()),
              HasSubstr("cannot write " + path_ + ": No space left on device"));
  fs::remove(path_);
  EXPECT_TRUE(file.Write("tri\n").ok());
  EXPECT_EQ(Text(0), "tri\n");
}

}  // namespace
}  // namespace prequel::rotated_file_test
