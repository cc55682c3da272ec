// Log masses by adaptive quadrature in mpmath at 20 digits.
#include "core/distributions/poisson_mixture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace prequel::poisson_mixture_test {
namespace {

TEST(PoissonMixture, LogMassMatchesReferenceValues) {
  const PoissonMixture small(0.5, 1), comb(4.6, 0.25), narrow(2, 0.001), wide(-3, 9), far(9, 0.04);
  EXPECT_NEAR(small.LogDensity(0), -1.35202883163372, 1e-11);
  EXPECT_NEAR(small.LogDensity(3), -2.25887748998148, 1e-11);
  EXPECT_NEAR(comb.LogDensity(0), -21.1368225810307, 1e-9);
  EXPECT_NEAR(comb.LogDensity(99), -4.8409927273583, 1e-11);
  EXPECT_NEAR(comb.LogDensity(199), -6.46465315803498, 1e-11);
  EXPECT_NEAR(narrow.LogDensity(7), -1.91782276080621, 1e-11);
  EXPECT_NEAR(narrow.LogDensity(15), -5.26328688492481, 1e-11);
  EXPECT_NEAR(wide.LogDensity(0), -0.256631101826495, 1e-8);
  EXPECT_NEAR(wide.LogDensity(3), -3.95836562834466, 1e-8);
  EXPECT_NEAR(far.LogDensity(3), -329.607201592363, 1e-8);
  EXPECT_NEAR(far.LogDensity(8103), -8.31103068589462, 1e-9);
  EXPECT_NEAR(far.LogDensity(16207), -15.0002346531011, 1e-9);
}

TEST(PoissonMixture, CdfAndCrpsMatchReferenceValues) {
  const PoissonMixture d(0.5, 1);
  EXPECT_NEAR(d.Cdf(0), 0.258714838981, 1e-8);
  EXPECT_NEAR(d.Cdf(3), 0.749796525614, 1e-8);
  EXPECT_NEAR(d.Crps(0), 1.07829594, 1e-4);
  EXPECT_NEAR(d.Crps(1), 0.5957256183, 1e-4);
  EXPECT_EQ(d.Quantile(0.5), 2);
  EXPECT_EQ(d.Quantile(0.95), 9);
}

TEST(PoissonMixture, WithoutVarianceIsPoisson) {
  const PoissonMixture d(std::log(3), 0);
  EXPECT_NEAR(d.LogDensity(2), 2 * std::log(3) - 3 - std::log(2), 1e-14);
  EXPECT_NEAR(d.Cdf(1.9), 4 * std::exp(-3), 1e-14);
  EXPECT_EQ(d.EpistemicVariance(), 0);
  EXPECT_EQ(d.LogDensity(1.5), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(d.LogDensity(-1), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(d.Cdf(-0.5), 0);
}

struct Case {
  double mean, variance;
  int terms;      // masses beyond are negligible
  double missed;  // mass beyond `terms`
};

// In both regimes of Cdf, and across the switch between them.
const std::vector<Case>& Cases() {
  static const std::vector<Case> kCases = {{0.5, 1, 3000, 1e-12},      {4.6, 0.25, 6000, 1e-12},
                                           {2, 0.001, 100, 1e-12},     {2.3, 0.03, 200, 1e-12},
                                           {-3, 4, 3000, 1e-8},        {-6, 0.5, 60, 1e-12},
                                           {6.5, 0.0001, 2500, 1e-12}, {3.1, 0, 300, 1e-12}};
  return kCases;
}

std::vector<double> CumulativeMasses(const Case& c) {
  const PoissonMixture d(c.mean, c.variance);
  std::vector<double> cdf;
  double sum = 0;
  for (int k = 0; k < c.terms; ++k) cdf.push_back(sum += std::exp(d.LogDensity(k)));
  return cdf;
}

TEST(PoissonMixture, CdfIsTheSumOfMasses) {
  for (const Case& c : Cases()) {
    const PoissonMixture d(c.mean, c.variance);
    const std::vector<double> cdf = CumulativeMasses(c);
    EXPECT_NEAR(cdf.back(), 1, 1e-8 + c.missed) << c.mean;
    for (int k = 0; k < c.terms; k += 1 + k / 10) {
      EXPECT_NEAR(d.Cdf(k), cdf[static_cast<std::size_t>(k)], 1e-7) << c.mean << " at " << k;
    }
  }
}

TEST(PoissonMixture, MomentsAreThoseOfTheMasses) {
  const Case c = Cases()[1];
  const PoissonMixture d(c.mean, c.variance);
  double mean = 0, square = 0;
  for (int k = 0; k < c.terms; ++k) {
    mean += k * std::exp(d.LogDensity(k));
    square += static_cast<double>(k) * k * std::exp(d.LogDensity(k));
  }
  EXPECT_NEAR(mean / d.Mean(), 1, 1e-8);
  EXPECT_NEAR((square - mean * mean) / d.Variance(), 1, 1e-6);
}

TEST(PoissonMixture, QuantileIsTheLeastCountThatReaches) {
  for (const Case& c : Cases()) {
    const PoissonMixture d(c.mean, c.variance);
    for (const double p : {1e-4, 0.05, 0.25, 0.5, 0.75, 0.95, 0.9999}) {
      const double k = d.Quantile(p);
      EXPECT_GE(d.Cdf(k), p) << c.mean << " " << p;
      EXPECT_LT(d.Cdf(k - 1), p) << c.mean << " " << p;
    }
  }
}

TEST(PoissonMixture, CrpsIsTheSumOfSquaredCdfErrors) {
  for (const Case& c : Cases()) {
    const PoissonMixture d(c.mean, c.variance);
    const std::vector<double> cdf = CumulativeMasses(c);
    for (const double y : {0.0, 3.0, std::floor(std::exp(c.mean)), std::floor(2.5 * d.Mean())}) {
      double sum = 0;
      for (int k = 0; k < c.terms; ++k) {
        const double error = cdf[static_cast<std::size_t>(k)] - (k >= y ? 1 : 0);
        sum += error * error;
      }
      EXPECT_NEAR(d.Crps(y) / sum, 1, 5e-4) << c.mean << " at " << y;
    }
  }
}

TEST(PoissonMixture, HugeRatesTerminate) {
  for (const double mean : {20.0, 100.0, 250.0}) {
    for (const double variance : {0.0, 1e-6, 1.0, 50.0}) {
      const PoissonMixture d(mean, variance);
      const double median = d.Quantile(0.5);
      EXPECT_NEAR(std::log(median), mean, 0.01 + 1e-3 * std::sqrt(variance)) << variance;
      EXPECT_TRUE(std::isfinite(d.LogDensity(median)));
      EXPECT_TRUE(std::isfinite(d.Crps(median)));
    }
  }
  EXPECT_EQ(PoissonMixture(-300, 1).Quantile(0.99), 0);
}

}  // namespace
}  // namespace prequel::poisson_mixture_test
