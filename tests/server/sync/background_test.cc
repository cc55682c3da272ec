#include "server/sync/background.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace prequel::background_test {
namespace {

TEST(BackgroundTest, AThreadIsNicerForGoodAndTheOthersAreNot) {
  const int ordinary = getpriority(PRIO_PROCESS, 0);
  int nicer = 0;
  bool before = true, after = false;
  std::thread([&] {
    before = InBackground();
    EnterBackground();
    after = InBackground();
    nicer = getpriority(PRIO_PROCESS, 0);
  }).join();
  EXPECT_FALSE(before);
  EXPECT_TRUE(after);
  EXPECT_EQ(nicer, std::min(19, ordinary + kBackgroundNiceness));
  EXPECT_FALSE(InBackground());
  EXPECT_EQ(getpriority(PRIO_PROCESS, 0), ordinary);
}

}  // namespace
}  // namespace prequel::background_test
