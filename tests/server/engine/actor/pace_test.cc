#include "server/engine/actor/pace.h"

#include <gtest/gtest.h>

namespace prequel {
namespace {

TEST(PaceTest, BelievesTheEstimateAtFirst) {
  const Pace pace;
  EXPECT_FALSE(pace.IsHeavy(3e-3));
  EXPECT_TRUE(pace.IsHeavy(5e-3));
}

TEST(PaceTest, WhatTakesLongerThanItsEstimateIsHeavy) {
  Pace pace;
  pace.Note(2e-3, 6e-3);
  EXPECT_TRUE(pace.IsHeavy(2e-3));
  EXPECT_FALSE(pace.IsHeavy(1e-3));
}

TEST(PaceTest, WhatIsEstimatedToTakeLongIsHeavyHoweverShort) {
  Pace pace;
  for (int i = 0; i < 100; ++i) pace.Note(5e-3, 1e-3);
  EXPECT_TRUE(pace.IsHeavy(5e-3));
}

TEST(PaceTest, ForgetsThatOneWasHeldUp) {
  constexpr double kEstimate = 1e-5, kUsual = 1e-4;
  Pace pace;
  pace.Note(kEstimate, 30e-3);
  EXPECT_TRUE(pace.IsHeavy(kEstimate));
  int heavy = 0;
  for (; heavy < 100 && pace.IsHeavy(kEstimate); ++heavy) pace.Note(kEstimate, kUsual);
  EXPECT_LE(heavy, 3);
}

TEST(PaceTest, OneThatFailsDoesNotMakeTheNextLight) {
  Pace pace;
  pace.Note(1e-3, 50e-3);
  pace.Note(1e-3, 1e-4);
  EXPECT_TRUE(pace.IsHeavy(1e-3));
}

}  // namespace
}  // namespace prequel
