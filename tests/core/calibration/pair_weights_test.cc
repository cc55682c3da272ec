#include "core/calibration/pair_weights.h"

#include <cmath>

#include "core/dynamics/mixing.h"
#include "gtest/gtest.h"
#include "tests/core/streams.h"

namespace prequel::pair_weights_test {
namespace {

// The same as for any number of beliefs.
TEST(PairWeights, AreTheMixingOfTwo) {
  const PairWeights pair(0.05);
  const Mixing mixing(Eigen::Vector2d(0.95, 0.05), Eigen::Vector2d(0.95, 0.05));
  PairWeightsState state = pair.Fresh();
  MixingState expected = mixing.Fresh();
  MixingScratch scratch;
  EXPECT_NEAR(PairWeights::Weight(state), 0.05, 1e-15);
  for (int t = 0; t < 400; ++t) {
    const Index rows = 1 + (t * 7) % 65;
    // The second is better at first, and worse later.
    Matrix densities = 0.3 * Normals(2, rows, 41, static_cast<std::uint64_t>(t));
    densities.row(1).array() += t < 200 ? 0.05 : -0.1;
    pair.Absorb(densities, state);
    ASSERT_TRUE(mixing.Absorb(densities, expected, scratch));
    Vector weights(2);
    Mixing::Weights(expected, weights);
    const double weight = weights[1];
    ASSERT_NEAR(PairWeights::Weight(state), weight, 1e-9 + 1e-9 * weight) << t;
    ASSERT_TRUE(PairWeights::IsSound(state));
    if (t == 199) {
      EXPECT_GT(weight, 0.6);
    }
  }
  EXPECT_LT(PairWeights::Weight(state), 0.2);
}

TEST(PairWeights, StayBetweenZeroAndOne) {
  const PairWeights pair(0.05);
  PairWeightsState state = pair.Fresh();
  for (const double gain : {-1e6, 1e6, 0.0, -700.0}) {
    Matrix densities = Matrix::Zero(2, 100);
    densities.row(1).setConstant(gain);
    for (int t = 0; t < 50; ++t) pair.Absorb(densities, state);
    EXPECT_TRUE(PairWeights::IsSound(state)) << gain;
    EXPECT_GT(PairWeights::Weight(state), 0);
    EXPECT_LT(PairWeights::Weight(state), 1);
  }
}

}  // namespace
}  // namespace prequel::pair_weights_test
