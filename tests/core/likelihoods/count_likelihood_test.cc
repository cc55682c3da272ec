// What the likelihoods of counts make of log rates beyond all that was seen.
#include "core/likelihoods/count_likelihood.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/likelihoods/negative_binomial.h"
#include "core/likelihoods/poisson.h"

namespace prequel::count_likelihood_test {
namespace {

NoiseLevel Seen(double largest) {
  return {.variance = {}, .dof = {}, .largest = Vector::Constant(1, largest)};
}

LogitMoments At(double mean, double variance) {
  return {Matrix::Constant(1, 1, mean), Matrix::Constant(1, 1, variance)};
}

template <class L>
class CountLikelihoodTest : public ::testing::Test {};
using CountLikelihoods = ::testing::Types<Poisson, NegativeBinomial>;
TYPED_TEST_SUITE(CountLikelihoodTest, CountLikelihoods);

TYPED_TEST(CountLikelihoodTest, WhatIsBelievableIsAsItWas) {
  const TypeParam likelihood;
  for (const double mean : {-2.0, 1.0, 4.0}) {
    for (const double variance : {0.0, 0.1, 2.0}) {
      const auto bounded = likelihood.Marginal(At(mean, variance), Seen(99), 0, 0);
      const auto free = likelihood.Marginal(At(mean, variance), {}, 0, 0);
      EXPECT_EQ(bounded.Mean(), free.Mean());
      EXPECT_EQ(bounded.Variance(), free.Variance());
    }
  }
}

TYPED_TEST(CountLikelihoodTest, NoMeanIsBeyondTwiceTheLargest) {
  const TypeParam likelihood;
  for (const double largest : {0.0, 3.0, 1e4}) {
    for (const double mean : {-50.0, 0.0, 5.0, 20.0, 1e4}) {
      for (const double variance : {0.0, 0.01, 10.0, 1e3}) {
        const auto d = likelihood.Marginal(At(mean, variance), Seen(largest), 0, 0);
        EXPECT_LE(d.Mean(), 2 * (largest + 1) * (1 + 1e-9)) << mean << " " << variance;
        EXPECT_TRUE(std::isfinite(d.Variance()));
        EXPECT_LE(d.Cdf(largest), 1 + 1e-15) << "but for how weights are rounded that add up to 1";
      }
    }
  }
}

// One distribution: what is beyond belief is as wide as the counts seen, whose log density is then
// no worse than of a guess.
TYPED_TEST(CountLikelihoodTest, BeyondBeliefItCoversWhatWasSeen) {
  const TypeParam likelihood;
  const auto d = likelihood.Marginal(At(30, 4), Seen(200), 0, 0);
  for (const double y : {1.0, 10.0, 100.0, 200.0}) EXPECT_GT(d.LogDensity(y), -8) << y;
  EXPECT_LT(d.Quantile(0.05), 10);
  EXPECT_GT(d.Quantile(0.95), 200);
  EXPECT_NEAR(d.Mean(), 201, 1e-6);
}

TYPED_TEST(CountLikelihoodTest, TheBoundIsMetWithoutAJump) {
  const TypeParam likelihood;
  const double bound = std::log(2 * 51.0);  // 51: the largest count plus 1
  for (const double variance : {0.0, 0.5, 6.0}) {
    const auto below =
        likelihood.Marginal(At(bound - variance / 2 - 1e-7, variance), Seen(50), 0, 0);
    const auto above =
        likelihood.Marginal(At(bound - variance / 2 + 1e-7, variance), Seen(50), 0, 0);
    EXPECT_NEAR(above.Mean() / below.Mean(), 1, 1e-5);
    EXPECT_NEAR(above.LogDensity(20) / below.LogDensity(20), 1, 1e-3);
  }
}

// Not known what was seen: as it was before there was a bound. Nothing seen: counts below 100.
TYPED_TEST(CountLikelihoodTest, WithoutKnowledgeThereIsNoBound) {
  const TypeParam likelihood;
  const auto free = likelihood.Marginal(At(30, 4), {}, 0, 0);
  const double unknown = std::numeric_limits<double>::infinity();
  EXPECT_EQ(likelihood.Marginal(At(30, 4), Seen(unknown), 0, 0).Mean(), free.Mean());
  EXPECT_EQ(likelihood.Marginal(At(30, 4), Seen(-1), 0, 0).Mean(),
            likelihood.Marginal(At(30, 4), Seen(99), 0, 0).Mean());
}

// The tangent: its value is continuous, its slope in the mean is the score, and that is bounded.
TEST(PoissonBound, TheExpectationGoesOnAsItsTangent) {
  const Poisson likelihood;
  const double bound = std::log(2 * 51.0);  // 51: the largest count plus 1
  const Matrix targets = Matrix::Constant(1, 1, 7);
  const auto expand = [&](double mean) {
    LocalExpansion expansion;
    likelihood.Expand(At(mean, 1), targets, Seen(50), expansion);
    return expansion;
  };
  EXPECT_NEAR(expand(bound - 0.5 - 1e-9).log_density, expand(bound - 0.5 + 1e-9).log_density, 1e-5);
  for (const double mean : {bound - 1, bound + 0.5, bound + 40}) {
    const double slope = (expand(mean + 1e-5).log_density - expand(mean - 1e-5).log_density) / 2e-5;
    EXPECT_NEAR(expand(mean).score(0, 0), slope, 1e-3) << mean;
    EXPECT_GE(expand(mean).score(0, 0), 7 - 102 - 1e-9);
  }
  // One step by the curvature leads back to where the counts are.
  const LocalExpansion far = expand(bound + 40);
  const double step = far.score(0, 0) / (far.root(0, 0) * far.root(0, 0));
  EXPECT_NEAR(bound + 40 + step, bound, 4);
}

}  // namespace
}  // namespace prequel::count_likelihood_test
