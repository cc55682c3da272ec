#include "tests/style/basenames.h"

#include "gtest/gtest.h"

namespace prequel::style::basenames_test {
namespace {

TEST(Basenames, TwoRoomsHaveDifferentOnes) {
  const std::vector<Finding> findings = CheckBasenames(
      {{"core/a/noise.h", ""}, {"core/a/noise.cc", ""}, {"core/b/noise.h", ""}, {"dev", ""}});
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].path, "core/b/noise.h");
}

TEST(Basenames, ProgramsAndPagesMayShareThem) {
  EXPECT_TRUE(CheckBasenames({{"server/main.cc", ""}, {"client/cli/main.cc", ""}}).empty());
  EXPECT_TRUE(CheckBasenames({{"core/README.md", ""}, {"server/README.md", ""}}).empty());
}

}  // namespace
}  // namespace prequel::style::basenames_test
