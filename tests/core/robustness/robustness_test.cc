#include "core/robustness/robustness.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "tests/core/configured.h"

namespace prequel::robustness_test {
namespace {

template <class Part>
Part Of(double threshold) {
  return Configured<Part>({std::string(Part::kName), {{"threshold", threshold}}});
}

TEST(Robustness, WeighsByItsEquations) {
  const auto imq = Of<InverseMultiquadric>(3);
  EXPECT_EQ(imq.Weight({0, 0}), 1);
  EXPECT_DOUBLE_EQ(imq.Weight({9, 1}), 0.5);
  EXPECT_DOUBLE_EQ(imq.Weight({27, 1}), 0.25);
  EXPECT_DOUBLE_EQ(imq.NoiseWeight({27, 9}), 0.25);
  EXPECT_EQ(imq.Weight({HUGE_VAL, HUGE_VAL}), 0);
  const auto gate = Of<MahalanobisGate>(3);
  EXPECT_EQ(gate.Weight({100, 9}), 1);
  EXPECT_EQ(gate.Weight({100, 9.001}), 0);
}

// Of a normal that is cut off at c deviations, and of one that is weighed, by the midpoint rule.
TEST(Robustness, KnowsWhatWeighingMakesOfAVariance) {
  const double c = 2;
  const double density = std::exp(-0.5 * c * c) / std::sqrt(2 * std::numbers::pi);
  const double cut = 1 - 2 * c * density / std::erf(c / std::numbers::sqrt2);
  EXPECT_NEAR(WeighedSquare(Of<MahalanobisGate>(c), 1), cut, 0.005);
  const auto imq = Of<InverseMultiquadric>(4);
  double weights = 0, squares = 0;
  for (double z = -12; z < 12; z += 1e-3) {
    const double weight = std::exp(-0.5 * z * z) * imq.NoiseWeight({z * z, z * z});
    weights += weight;
    squares += weight * z * z;
  }
  EXPECT_NEAR(WeighedSquare(imq, 1), squares / weights, 1e-8);
  EXPECT_GT(WeighedSquare(imq, 50), WeighedSquare(imq, 1)) << "means of many vary less";
}

TEST(Robustness, ChangesNothingWhereEveryRowIsNear) {
  for (const Index outputs : {1, 2, 10, 4096}) {
    EXPECT_EQ(WeighedSquare(NoRobustness(), outputs), 1);
    EXPECT_EQ(WeighedSquare(Of<InverseMultiquadric>(1e12), outputs), 1);
    EXPECT_EQ(WeighedSquare(Of<MahalanobisGate>(1e12), outputs), 1);
  }
}

}  // namespace
}  // namespace prequel::robustness_test
