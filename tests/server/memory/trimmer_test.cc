#include "server/memory/trimmer.h"

#include <gtest/gtest.h>

namespace prequel {
namespace {

constexpr std::int64_t kMuch = Trimmer::kMuch, kLimit = 100 * kMuch;

TEST(TrimmerTest, IsDueOnceMemoryHasFallenAndTheProcessRests) {
  Trimmer trimmer(kLimit);
  EXPECT_FALSE(trimmer.IsDue(5 * kMuch, 9 * kMuch));
  EXPECT_FALSE(trimmer.IsDue(2 * kMuch, 9 * kMuch)) << "it is still falling";
  EXPECT_TRUE(trimmer.IsDue(2 * kMuch, 9 * kMuch));
  EXPECT_FALSE(trimmer.IsDue(2 * kMuch, 6 * kMuch)) << "it has just been done";
}

TEST(TrimmerTest, IsNotDueWhileMemoryComesAndGoes) {
  Trimmer trimmer(kLimit);
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(trimmer.IsDue(i % 2 == 0 ? 5 * kMuch : 0, 9 * kMuch)) << i;
  }
}

TEST(TrimmerTest, IsDueWhileMemoryComesAndGoesBeyondTheLimit) {
  Trimmer trimmer(kLimit);
  EXPECT_FALSE(trimmer.IsDue(5 * kMuch, kLimit + 1));
  EXPECT_TRUE(trimmer.IsDue(0, kLimit + 1));
}

TEST(TrimmerTest, IsDueAfterGrowthThatNobodyTellsOf) {
  Trimmer trimmer(kLimit);
  EXPECT_FALSE(trimmer.IsDue(0, kMuch));
  EXPECT_FALSE(trimmer.IsDue(0, 3 * kMuch)) << "it is still growing";
  EXPECT_TRUE(trimmer.IsDue(0, 3 * kMuch));
}

TEST(TrimmerTest, IsDueAgainWhenMemoryFallsJustAfter) {
  Trimmer trimmer(kLimit);
  for (int i = 0; i < 30; ++i) trimmer.IsDue(5 * kMuch, 9 * kMuch);  // now and then
  EXPECT_FALSE(trimmer.IsDue(0, 9 * kMuch));
  EXPECT_TRUE(trimmer.IsDue(0, 9 * kMuch));
}

TEST(TrimmerTest, IsDueNowAndThen) {
  Trimmer trimmer(kLimit);
  int due = 0;
  for (int i = 0; i < 90; ++i) due += trimmer.IsDue(0, kMuch) ? 1 : 0;
  EXPECT_EQ(due, 3);
}

}  // namespace
}  // namespace prequel
