#include "server/memory/trimmer.h"

#include <gtest/gtest.h>

namespace prequel {
namespace {

constexpr std::int64_t kMuch = Trimmer::kMuch, kLimit = 100 * kMuch;

TEST(TrimmerTest, IsDueOnceMuchIsFreeAndTheProcessRests) {
  Trimmer trimmer(kLimit);
  EXPECT_FALSE(trimmer.IsDue({.used = 8 * kMuch, .resident = 9 * kMuch})) << "it is used";
  EXPECT_FALSE(trimmer.IsDue({.used = 2 * kMuch, .resident = 9 * kMuch})) << "it has just fallen";
  EXPECT_TRUE(trimmer.IsDue({.used = 2 * kMuch, .resident = 9 * kMuch}));
}

TEST(TrimmerTest, IsNotDueWhileMemoryComesAndGoes) {
  Trimmer trimmer(kLimit);
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(trimmer.IsDue({.used = (i % 2) * 5 * kMuch, .resident = 9 * kMuch})) << i;
  }
}

TEST(TrimmerTest, IsDueWhileMemoryComesAndGoesBeyondTheLimit) {
  Trimmer trimmer(kLimit);
  EXPECT_FALSE(trimmer.IsDue({.used = kLimit, .resident = kLimit + 1}));
  EXPECT_TRUE(trimmer.IsDue({.used = 0, .resident = kLimit + 1}));
}

TEST(TrimmerTest, WhatCannotBeGivenBackIsNoReasonToTryAgain) {
  Trimmer trimmer(kLimit);
  const Trimmer::Memory now{.used = kMuch, .resident = 4 * kMuch};
  EXPECT_FALSE(trimmer.IsDue(now));
  EXPECT_TRUE(trimmer.IsDue(now));
  trimmer.SetLeft(now);
  EXPECT_FALSE(trimmer.IsDue(now));
  const Trimmer::Memory more{.used = kMuch, .resident = 6 * kMuch};
  EXPECT_FALSE(trimmer.IsDue(more));
  EXPECT_TRUE(trimmer.IsDue(more));
}

// What is freed after memory was given back is seen, whatever was given back then.
TEST(TrimmerTest, IsDueAgainWhenMoreIsFreedLater) {
  Trimmer trimmer(kLimit);
  trimmer.SetLeft({.used = 8 * kMuch, .resident = 9 * kMuch});
  EXPECT_FALSE(trimmer.IsDue({.used = kMuch, .resident = 9 * kMuch}));
  EXPECT_TRUE(trimmer.IsDue({.used = kMuch, .resident = 9 * kMuch}));
}

}  // namespace
}  // namespace prequel
