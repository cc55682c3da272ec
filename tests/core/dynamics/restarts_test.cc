// Runs of a world that may become another one, against the equations.
#include "core/dynamics/restarts.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prequel::restarts_test {
namespace {

TEST(Restarts, FollowTheirEquations) {
  constexpr double kHazard = 1e-2, kRows = 3;
  const Restarts restarts(kHazard);
  RestartState state = restarts.Fresh();
  ASSERT_TRUE(restarts.IsSound(state));
  const double first = std::exp(state.log_weights[0]), second = std::exp(state.log_weights[1]);
  EXPECT_NEAR(first + second, 1, 1e-15);
  const double stays = std::exp(-kHazard * kRows);
  const Eigen::Vector3d before = restarts.Weights(state, kRows);
  EXPECT_NEAR(before[0], stays * first, 1e-15);
  EXPECT_NEAR(before[2], 1 - stays, 1e-15);
  EXPECT_NEAR(before.sum(), 1, 1e-15);
  // The latest run predicts better than the prior by enough to stay.
  EXPECT_FALSE(restarts.Absorb({-4, -1, -3}, kRows, state));
  const double a = stays * first * std::exp(-4), b = stays * second * std::exp(-1);
  EXPECT_NEAR(std::exp(state.log_weights[0]), a / (a + b), 1e-14);
  EXPECT_TRUE(restarts.IsSound(state));
}

TEST(Restarts, ANewRunTakesThePlaceOfTheLatest) {
  const Restarts restarts(1e-4);
  RestartState state = restarts.Fresh();
  EXPECT_TRUE(restarts.Absorb({-30, -30, -2}, 1, state));
  EXPECT_GT(state.log_weights[1], std::log(0.99));
  // What is certain of itself begins anew only where the prior is far better.
  EXPECT_FALSE(restarts.Absorb({-30, -8, -2}, 1, state));
  EXPECT_TRUE(restarts.Absorb({-30, -20, -2}, 1, state));
}

TEST(Restarts, CountTheRowsOfTheLatestRun) {
  const Restarts restarts(1e-4);
  RestartState state = restarts.Fresh();
  EXPECT_EQ(state.rows, 0);
  ASSERT_TRUE(restarts.Absorb({-30, -30, -2}, 3, state));
  EXPECT_EQ(state.rows, 3) << "it learns the minibatch that it begins with";
  ASSERT_FALSE(restarts.Absorb({-30, -8, -2}, 2, state));
  EXPECT_EQ(state.rows, 5);
  state.rows = -1;
  EXPECT_FALSE(restarts.IsSound(state));
}

TEST(Restarts, StayFiniteHoweverWrongARunIs) {
  const Restarts restarts(1e-4);
  RestartState state = restarts.Fresh();
  for (int t = 0; t < 1000; ++t) restarts.Absorb({-1e6, -1, -20}, 64, state);
  EXPECT_TRUE(restarts.IsSound(state));
  EXPECT_EQ(restarts.Weights(state, 1)[0], 0);
  state.log_weights[0] = -INFINITY;
  EXPECT_FALSE(restarts.IsSound(state));
}

}  // namespace
}  // namespace prequel::restarts_test
