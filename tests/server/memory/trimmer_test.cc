#include "server/memory/trimmer.h"

#include <gtest/gtest.h>

namespace prequel::trimmer_test {
namespace {

constexpr std::int64_t kMuch = Trimmer::kMuch, kLimit = 100 * kMuch;

TEST(TrimmerTest, LooksOnceTheProcessRests) {
  Trimmer trimmer(kLimit);
  EXPECT_FALSE(trimmer.IsTime(5 * kMuch, 9 * kMuch)) << "it has grown";
  EXPECT_FALSE(trimmer.IsTime(2 * kMuch, 9 * kMuch)) << "what is held has fallen";
  EXPECT_TRUE(trimmer.IsTime(2 * kMuch, 9 * kMuch));
  EXPECT_TRUE(trimmer.IsTime(2 * kMuch, 3 * kMuch)) << "nobody waits any more";
}

TEST(TrimmerTest, DoesNotLookWhileMemoryComesAndGoes) {
  Trimmer trimmer(kLimit);
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(trimmer.IsTime((i % 2 + 1) * 5 * kMuch, 9 * kMuch)) << i;
  }
}

TEST(TrimmerTest, LooksWhateverHappensBeyondTheLimit) {
  Trimmer trimmer(kLimit);
  EXPECT_TRUE(trimmer.IsTime(5 * kMuch, kLimit + 1));
  EXPECT_TRUE(trimmer.IsTime(0, kLimit + 1));
}

TEST(TrimmerTest, IsDueWhenMuchIsFree) {
  const Trimmer trimmer(kLimit);
  EXPECT_FALSE(trimmer.IsDue(8 * kMuch, 9 * kMuch));
  EXPECT_TRUE(trimmer.IsDue(8 * kMuch - 1, 9 * kMuch));
}

TEST(TrimmerTest, WhatCannotBeGivenBackIsNoReasonToTryAgain) {
  Trimmer trimmer(kLimit);
  trimmer.SetLeft(kMuch, 4 * kMuch);
  EXPECT_FALSE(trimmer.IsDue(kMuch, 4 * kMuch));
  EXPECT_FALSE(trimmer.IsDue(kMuch, 5 * kMuch));
  EXPECT_TRUE(trimmer.IsDue(kMuch, 6 * kMuch));
}

// What is freed after memory was given back is seen, whatever was given back then.
TEST(TrimmerTest, IsDueAgainWhenMoreIsFreedLater) {
  Trimmer trimmer(kLimit);
  trimmer.SetLeft(8 * kMuch, 9 * kMuch);
  EXPECT_TRUE(trimmer.IsDue(kMuch, 9 * kMuch));
}

// However little was freed: once, when each rest begins.
TEST(TrimmerTest, ARestBeginsOnce) {
  Trimmer trimmer(kLimit);
  for (const std::int64_t held : {kMuch, 2 * kMuch}) {
    trimmer.IsTime(held, 9 * kMuch);
    EXPECT_FALSE(trimmer.RestBegins());
    for (int i = 1; i <= 3 * Trimmer::kRest; ++i) {
      trimmer.IsTime(held, 9 * kMuch);
      EXPECT_EQ(trimmer.RestBegins(), i == Trimmer::kRest) << i;
    }
  }
}

}  // namespace
}  // namespace prequel::trimmer_test
