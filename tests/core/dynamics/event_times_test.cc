#include "core/dynamics/event_times.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>

#include "core/config/field_error.h"

namespace prequel::event_times_test {
namespace {

Vector Of(std::initializer_list<double> numbers) {
  Vector out(static_cast<Index>(numbers.size()));
  std::copy(numbers.begin(), numbers.end(), out.data());
  return out;
}

std::string Refused(const Vector& times, Index rows, bool in_turn) {
  return FieldOf(CheckTimes(times, rows, in_turn)).value_or("accepted");
}

TEST(EventTimes, AreFiniteAndInOrder) {
  EXPECT_EQ(Refused(Vector(), 3, true), "accepted");
  EXPECT_EQ(Refused(Of({1, 1, 2}), 3, true), "accepted");
  EXPECT_EQ(Refused(Of({1, 2}), 3, true), "batch.times");
  EXPECT_EQ(Refused(Of({1, std::nan(""), 2}), 3, false), "batch.times[1]");
  EXPECT_EQ(Refused(Of({1, 2, HUGE_VAL}), 3, false), "batch.times[2]");
  EXPECT_EQ(Refused(Of({1, 3, 2}), 3, true), "batch.times[2]");
  EXPECT_EQ(Refused(Of({1, 3, 2}), 3, false), "accepted");
}

TEST(EventTimes, CountInMeanGaps) {
  EventTimes seen;
  Vector passed;
  ASSERT_TRUE(PassedInTurn(seen, Of({5, 9, 10}), passed).ok());
  EXPECT_EQ(passed, Of({1, 2, 3})) << "no gap is known yet";
  EXPECT_EQ(PassedTo(seen, 7), 1);
  AbsorbTimes(Of({5, 9, 10}), seen);
  EXPECT_EQ(seen.gap, 2.5);
  EXPECT_EQ(seen.latest, 10);
  ASSERT_TRUE(PassedInTurn(seen, Of({10, 12.5, 22.5}), passed).ok());
  EXPECT_EQ(passed, Of({0, 1, 5}));
  EXPECT_EQ(PassedTo(seen, 22.5), 5);
  EXPECT_EQ(PassedTo(seen, 3), 0);
  EXPECT_EQ(PassedTo(seen, 1e99), 1e6);
}

TEST(EventTimes, LateRowsTakeNoTimeUpToALimit) {
  EventTimes seen;
  AbsorbTimes(Of({0, 1, 2, 3}), seen);
  Vector passed;
  ASSERT_TRUE(PassedInTurn(seen, Of({-100, 2, 4}), passed).ok());
  EXPECT_EQ(passed, Of({0, 0, 1}));
  const absl::Status late = PassedInTurn(seen, Of({-998}), passed);
  EXPECT_EQ(FieldOf(late), "batch.times[0]") << late;
  AbsorbTimes(Of({-100, 2, 4}), seen);
  EXPECT_EQ(seen.latest, 4);
  EXPECT_DOUBLE_EQ(seen.gap, 4.0 / 6);
}

TEST(EventTimes, TheGapForgets) {
  EventTimes seen;
  Vector times(1);
  double now = 0;
  for (int t = 0; t < 200000; ++t) {
    times[0] = now += t < 100000 ? 1 : 10;
    AbsorbTimes(times, seen);
  }
  EXPECT_NEAR(seen.gap, 10, 0.01);
  EXPECT_TRUE(seen.IsSound());
  seen.gap = -1;
  EXPECT_FALSE(seen.IsSound());
}

}  // namespace
}  // namespace prequel::event_times_test
