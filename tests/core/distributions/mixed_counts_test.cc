// Against sums over all counts.
#include "core/distributions/mixed_counts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <utility>
#include <vector>

namespace prequel::mixed_counts_test {
namespace {

template <class Kernel>
struct Owned {
  std::vector<CountMixture<Kernel>> members;
  std::vector<double> weights;
  MixedCounts<Kernel> operator*() const { return {members, weights}; }
};

using Counts = Owned<NegativeBinomialKernel>;

NegativeBinomialMixture Of(double mean, double variance, double shape) {
  return {mean, variance, NegativeBinomialKernel(shape)};
}

// P(Y ≤ k) of all k up to where nothing is left, from the masses.
template <class Kernel>
std::vector<double> CumulativeMasses(const MixedCounts<Kernel>& mixture, std::size_t most) {
  std::vector<double> cdf;
  double sum = 0;
  while (cdf.size() < most && sum < 1 - 1e-10) {
    cdf.push_back(sum += std::exp(mixture.LogDensity(static_cast<double>(cdf.size()))));
  }
  return cdf;
}

double SumOfSquares(const std::vector<double>& cdf, double y) {
  double sum = std::max(0.0, y - static_cast<double>(cdf.size()));
  for (std::size_t k = 0; k < cdf.size(); ++k) {
    const double error = cdf[k] - (static_cast<double>(k) >= y ? 1 : 0);
    sum += error * error;
  }
  return sum;
}

// As beliefs are: of one place and many widths; of rates below 1; of large counts, nearly Poisson
// and far from it; apart from each other.
const std::vector<Counts>& Beliefs() {
  static const std::vector<Counts> kBeliefs = {
      {{Of(3, 0.01, 5), Of(3.1, 0.02, 6), Of(2.9, 0.1, 3), Of(3, 0.05, 30), Of(2, 0.6, 2)},
       {0.3, 0.2, 0.2, 0.29, 0.01}},
      {{Of(-3, 0.01, 1), Of(-3.1, 0.3, 1), Of(-2, 0.1, 0.5)}, {0.3, 0.2, 0.5}},
      {{Of(6, 1e-3, 900), Of(6.1, 2e-3, 600), Of(5.9, 0.01, 30)}, {0.5, 0.4, 0.1}},
      {{Of(1, 0, 2), Of(6, 0, 80)}, {0.5, 0.5}}};
  return kBeliefs;
}

TEST(MixedCounts, AMemberOfNoWeightIsAsIfAbsent) {
  const Counts alone{{Of(0, 0.01, 900)}, {1}}, with{{Of(0, 0.01, 900), Of(9, 0.01, 900)}, {1, 0}};
  EXPECT_EQ((*with).LogDensity(8000), (*alone).LogDensity(8000));
}

TEST(MixedCounts, CdfIsTheSumOfMasses) {
  for (const Counts& counts : Beliefs()) {
    const std::vector<double> cdf = CumulativeMasses(*counts, 4000);
    for (std::size_t k = 0; k < cdf.size(); k += 1 + k / 8) {
      EXPECT_NEAR((*counts).Cdf(static_cast<double>(k)), cdf[k], 1e-7) << k;
    }
  }
}

TEST(MixedCounts, CrpsIsTheSumOfSquaredCdfErrors) {
  for (const Counts& counts : Beliefs()) {
    const std::vector<double> cdf = CumulativeMasses(*counts, 20000);
    const double mean = (*counts).Mean();
    for (const double y : {0.0, 1.0, std::floor(mean), std::floor(4 * mean) + 3, 9000.0}) {
      const double want = SumOfSquares(cdf, y);
      EXPECT_NEAR((*counts).Crps(y) / want, 1, 2e-4) << mean << " at " << y;
    }
  }
}

TEST(MixedCounts, CrpsOfPoissonIsThatSumToo) {
  const Owned<PoissonKernel> counts{{{0, 0}, {2, 0.01}, {3, 0.1}}, {0.2, 0.3, 0.5}};
  const std::vector<double> cdf = CumulativeMasses(*counts, 4000);
  for (const double y : {0.0, 5.0, 60.0}) {
    EXPECT_NEAR((*counts).Crps(y) / SumOfSquares(cdf, y), 1, 2e-4) << y;
  }
}

// Whatever the members: rates of 0.02 to 3,000, variances of nothing to a wide prior's, weights of
// nearly nothing.
TEST(MixedCounts, CrpsIsNeverNegative) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform;
  for (int trial = 0; trial < 60; ++trial) {
    Counts counts;
    double sum = 0;
    for (int k = 0; k < 6; ++k) {
      counts.members.push_back(Of(-4 + 12 * uniform(random), std::pow(10, -8 + 9 * uniform(random)),
                                  std::pow(10, -1 + 4 * uniform(random))));
      counts.weights.push_back(std::pow(10, -12 * uniform(random)));
      sum += counts.weights.back();
    }
    for (double& weight : counts.weights) weight /= sum;
    const double median = (*counts).Quantile(0.5);
    for (const double y : {0.0, median, 2 * median + 5}) {
      const double crps = (*counts).Crps(y);
      EXPECT_TRUE(crps > 0 && std::isfinite(crps)) << trial << " at " << y;
    }
  }
}

TEST(MixedCounts, QuantileIsTheLeastCountThatReaches) {
  for (const Counts& counts : Beliefs()) {
    for (const double p : {1e-6, 0.05, 0.5, 0.75, 0.95, 1 - 1e-6}) {
      const double k = (*counts).Quantile(p);
      EXPECT_GE((*counts).Cdf(k), p) << p;
      EXPECT_LT((*counts).Cdf(k - 1), p) << p;
    }
  }
}

TEST(MixedCounts, WeightsCountAsRepetitions) {
  const NegativeBinomialMixture a = Of(1, 0.2, 3), b = Of(3, 0, 10);
  const Counts weighted{{a, b}, {1.0 / 3, 2.0 / 3}},
      repeated{{a, b, b}, {1.0 / 3, 1.0 / 3, 1.0 / 3}};
  for (const double y : {0.0, 3.0, 40.0}) {
    EXPECT_NEAR((*weighted).LogDensity(y), (*repeated).LogDensity(y), 1e-13);
    EXPECT_NEAR((*weighted).Cdf(y), (*repeated).Cdf(y), 1e-14);
    EXPECT_NEAR((*weighted).Crps(y), (*repeated).Crps(y), 1e-12);
  }
  EXPECT_EQ((*weighted).Quantile(0.7), (*repeated).Quantile(0.7));
}

TEST(MixedCounts, OfOneMemberIsNearlyThatMember) {
  const Counts counts{{Of(2, 0.1, 4)}, {1}};
  const NegativeBinomialMixture& member = counts.members[0];
  EXPECT_NEAR((*counts).LogDensity(5), member.LogDensity(5), 1e-14);
  EXPECT_EQ((*counts).Quantile(0.9), member.Quantile(0.9));
  EXPECT_NEAR((*counts).Crps(5) / member.Crps(5), 1, 1e-3);
  EXPECT_NEAR((*counts).EpistemicVariance(), member.EpistemicVariance(), 1e-12);
}

TEST(MixedCounts, TotalVariance) {
  const Counts counts{{Of(0, 0, 1), Of(std::log(3), 0, 1)}, {0.5, 0.5}};
  EXPECT_NEAR((*counts).Mean(), 2, 1e-14);
  EXPECT_NEAR((*counts).EpistemicVariance(), 1, 1e-14);
  EXPECT_NEAR((*counts).AleatoricVariance(), 0.5 * (2 + 12), 1e-13);
}

// Where nobody gives the count any weight that a double can hold.
TEST(MixedCounts, LogDensityDoesNotUnderflow) {
  const Counts counts{{Of(0, 0, 1000), Of(1, 0, 1000)}, {0.5, 0.5}};
  EXPECT_NEAR((*counts).LogDensity(2000), Of(1, 0, 1000).LogDensity(2000) + std::log(0.5), 1e-9);
}

// Where a double can no longer be counted up by one.
TEST(MixedCounts, OfCountsBeyondAllWholeNumbersEnds) {
  const Owned<PoissonKernel> counts{{{300, 0}, {300, 1}}, {0.5, 0.5}};
  EXPECT_GT((*counts).Crps(0), 0);
  EXPECT_NEAR(std::log((*counts).Quantile(0.5)), 300, 0.1);
}

}  // namespace
}  // namespace prequel::mixed_counts_test
