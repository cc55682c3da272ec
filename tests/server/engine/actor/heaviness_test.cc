#include "server/engine/actor/heaviness.h"

#include <gtest/gtest.h>

namespace prequel::heaviness_test {
namespace {

TEST(HeavinessTest, BelievesTheEstimateAtFirst) {
  const Heaviness heaviness;
  EXPECT_FALSE(heaviness.IsHeavy(3e-3));
  EXPECT_TRUE(heaviness.IsHeavy(5e-3));
}

TEST(HeavinessTest, WhatTwiceTakesLongerThanItsEstimateIsHeavy) {
  Heaviness heaviness;
  heaviness.Note(2e-3, 7e-3);
  heaviness.Note(2e-3, 6e-3);
  EXPECT_TRUE(heaviness.IsHeavy(2e-3));
  EXPECT_FALSE(heaviness.IsHeavy(1.3e-3));
}

TEST(HeavinessTest, WhatIsEstimatedToTakeLongIsHeavyHoweverShort) {
  Heaviness heaviness;
  for (const double seconds : {1e-3, 2.5e-3}) {
    for (int i = 0; i < 100; ++i) heaviness.Note(5e-3, seconds);
    EXPECT_TRUE(heaviness.IsHeavy(5e-3)) << seconds;
  }
}

TEST(HeavinessTest, OneThatWasHeldUpMakesNothingHeavy) {
  constexpr double kEstimate = 1e-5, kUsual = 1e-4, kHeldUp = 30e-3;
  Heaviness heaviness;
  for (int i = 0; i < 40; ++i) {
    heaviness.Note(kEstimate, i % 10 == 0 ? kHeldUp : kUsual);
    EXPECT_FALSE(heaviness.IsHeavy(kEstimate)) << i;
  }
}

TEST(HeavinessTest, ShortOnesBetweenDoNotHideLongOnes) {
  constexpr double kLong = 3e-3, kShort = 1e-6;  // by estimate
  Heaviness heaviness;
  for (int i = 0; i < 20; ++i) {
    heaviness.Note(kLong, 40e-3);
    heaviness.Note(kShort, 1e-4);
    EXPECT_EQ(heaviness.IsHeavy(kLong), i > 0) << i;
    EXPECT_FALSE(heaviness.IsHeavy(kShort)) << i;
  }
}

TEST(HeavinessTest, ForgetsThatTwoWereHeldUp) {
  constexpr double kEstimate = 1e-5, kUsual = 1e-4;
  Heaviness heaviness;
  for (int i = 0; i < 2; ++i) heaviness.Note(kEstimate, 30e-3);
  EXPECT_TRUE(heaviness.IsHeavy(kEstimate));
  int heavy = 0;
  for (; heavy < 100 && heaviness.IsHeavy(kEstimate); ++heavy) heaviness.Note(kEstimate, kUsual);
  EXPECT_LE(heavy, 3);
}

TEST(HeavinessTest, OneThatFailsDoesNotMakeTheNextLight) {
  Heaviness heaviness;
  for (int i = 0; i < 2; ++i) heaviness.Note(1e-3, 50e-3);
  heaviness.Note(1e-3, 1e-4);
  EXPECT_TRUE(heaviness.IsHeavy(1e-3));
  heaviness.Note(1e-3, 50e-3);
  EXPECT_TRUE(heaviness.IsHeavy(1e-3));
}

}  // namespace
}  // namespace prequel::heaviness_test
