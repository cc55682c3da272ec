// kill -9 under load, the short version; `./dev accept durability` runs the long one.
#include "tests/end_to_end/crash_run.h"

#include <gtest/gtest.h>

#include "tests/server/server/server_fixture.h"

namespace prequel::crash_test {
namespace {

TEST(CrashTest, KilledUnderLoadNothingIsLostNorCountedTwice) {
  const TemporaryDirectory directory;
  CrashOptions options;
  options.prequeld = PREQUELD;
  options.directory = directory.path("data");
  const CrashResult result = RunCrashes(options);
  EXPECT_EQ(result.problem, "");
  EXPECT_EQ(result.kills, options.kills);
  EXPECT_GT(result.acknowledged, 100);
  EXPECT_EQ(result.lost, 0);
  EXPECT_EQ(result.twice, 0);
  EXPECT_EQ(result.different, 0);
}

}  // namespace
}  // namespace prequel::crash_test
