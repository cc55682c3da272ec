#include "core/encoding/units.h"

#include <gtest/gtest.h>

namespace prequel::units_test {
namespace {

// Moments of values with that mean and deviation.
RunningMoments Of(double count, double mean, double deviation) {
  RunningMoments moments = RunningMoments::Empty(1);
  moments.count << count;
  moments.mean << mean;
  moments.m2 << deviation * deviation * (count - 1);
  return moments;
}

TEST(Units, StandStillUntilTheMomentsHaveLeftThem) {
  Units units = Units::Unknown(1);
  UnitsChange change;
  ASSERT_TRUE(Follow(Of(100, 3, 2), 0.1, UnknownScale::kAsNew, units, change));
  for (const auto& [mean, deviation] :
       {std::pair{3.19, 2.0}, {2.81, 2.0}, {3.0, 2.19}, {3.0, 1.83}}) {
    EXPECT_FALSE(Follow(Of(100, mean, deviation), 0.1, UnknownScale::kAsNew, units, change));
    EXPECT_EQ(units.location[0], 3);
    EXPECT_EQ(units.Scale(0), 2);
  }
  for (const auto& [mean, deviation] :
       {std::pair{3.21, 2.0}, {2.79, 2.0}, {3.0, 2.21}, {3.0, 1.81}}) {
    Units moved = units;
    ASSERT_TRUE(Follow(Of(100, mean, deviation), 0.1, UnknownScale::kAsNew, moved, change));
    EXPECT_EQ(moved.location[0], mean);
    EXPECT_NEAR(moved.Scale(0), deviation, 1e-15);
    // The same number in both.
    const double x = 7, z = (x - 3) / 2, moved_z = (x - mean) / moved.Scale(0);
    EXPECT_NEAR(change.slope[0] * moved_z + change.offset[0], z, 1e-14);
  }
}

TEST(Units, AScaleThatBecomesKnownWasTheSameOrOne) {
  const RunningMoments alike = Of(10, 5, 0), apart = Of(11, 5.1, 0.3);
  for (const UnknownScale unknown : {UnknownScale::kAsNew, UnknownScale::kOne}) {
    Units units = Units::Unknown(1);
    UnitsChange change;
    ASSERT_TRUE(Follow(alike, 0, unknown, units, change));
    EXPECT_EQ(units.Scale(0), 1);
    ASSERT_TRUE(Follow(apart, 10, unknown, units, change)) << "whatever is tolerated";
    const double before = unknown == UnknownScale::kAsNew ? 0.3 : 1;
    EXPECT_NEAR(change.slope[0], 0.3 / before, 1e-14);
    EXPECT_NEAR(change.offset[0], 0.1 / before, 1e-13);
    EXPECT_FALSE(Follow(alike, 1, unknown, units, change)) << "it stays known";
    EXPECT_NEAR(units.Scale(0), 0.3, 1e-15);
  }
}

}  // namespace
}  // namespace prequel::units_test
