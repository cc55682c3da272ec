#include "core/dynamics/run_lengths.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prequel::run_lengths_test {
namespace {

TEST(RunLengths, OfManyRunsTheLeastLikelyGives) {
  const RunLengths lengths(0.1, 3);
  RestartState state = lengths.Fresh();
  ASSERT_TRUE(lengths.IsSound(state));
  Index begun = 0;
  for (const Index place : {1, 2}) {  // as long as some have never begun
    ASSERT_TRUE(lengths.Absorb(Vector::Zero(4), 1, state, begun));
    EXPECT_EQ(begun, place);
  }
  Vector weights(4);
  lengths.Weights(state, 1, weights);
  EXPECT_NEAR(weights[0], std::exp(-0.3), 1e-12);
  EXPECT_NEAR(weights.sum(), 1, 1e-15);
  ASSERT_TRUE(lengths.Absorb(Eigen::Vector4d(-9, 0, 0, 0), 1, state, begun));
  EXPECT_EQ(begun, 0);
  ASSERT_TRUE(lengths.Absorb(Eigen::Vector4d(0, 0, 0, -9), 1, state, begun));
  EXPECT_EQ(begun, -1);
  EXPECT_TRUE(lengths.IsSound(state));
}

TEST(RunLengths, StayFiniteHoweverWrongARunIs) {
  const RunLengths lengths(1e-4, 2);
  RestartState state = lengths.Fresh();
  Index begun = 0;
  for (int t = 0; t < 1000; ++t) {
    ASSERT_TRUE(lengths.Absorb(Eigen::Vector3d(-HUGE_VAL, -1, -20), 64, state, begun));
  }
  EXPECT_TRUE(lengths.IsSound(state));
  const RestartState before = state;
  EXPECT_FALSE(lengths.Absorb(Vector::Constant(3, -HUGE_VAL), 64, state, begun));
  EXPECT_FALSE(lengths.Absorb(Vector::Constant(3, std::nan("")), 64, state, begun));
  EXPECT_EQ(state.log_weights, before.log_weights);
  state.log_weights[0] = -INFINITY;
  EXPECT_FALSE(lengths.IsSound(state));
}

}  // namespace
}  // namespace prequel::run_lengths_test
