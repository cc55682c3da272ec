// Against closed forms, sums of masses, and masses by a fine trapezoidal rule over the log rate.
#include "core/distributions/negative_binomial_mixture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "core/distributions/poisson_mixture.h"

namespace prequel::negative_binomial_mixture_test {
namespace {

NegativeBinomialMixture Make(double mean, double variance, double shape) {
  return {mean, variance, NegativeBinomialKernel(shape)};
}

double LogMass(double y, double f, double shape) {
  const double rate = std::exp(f);
  return std::lgamma(y + shape) - std::lgamma(shape) - std::lgamma(y + 1) +
         shape * std::log(shape / (shape + rate)) + y * std::log(rate / (shape + rate));
}

struct Case {
  double mean, variance, shape;
  int terms;             // masses beyond are negligible
  double missed = 1e-9;  // mass beyond `terms`
};

// In both regimes of Cdf, from heavy tails to nearly Poisson.
const std::vector<Case>& Cases() {
  static const std::vector<Case> kCases = {{1, 0.05, 1, 400},   {1, 0.5, 1, 4000, 1e-7},
                                           {2.5, 0.01, 3, 400}, {3, 0.4, 3, 4000, 1e-7},
                                           {0, 0.2, 0.3, 2000}, {1, 1, 0.1, 20000, 1e-4},
                                           {4, 0.01, 50, 600},  {4, 0.2, 1000, 2000},
                                           {-4, 0.5, 0.5, 200}, {2, 0, 2, 400}};
  return kCases;
}

TEST(NegativeBinomialMixture, LogMassMatchesAFineIntegral) {
  for (const Case& c : Cases()) {
    if (c.variance == 0) continue;
    const NegativeBinomialMixture d = Make(c.mean, c.variance, c.shape);
    const double deviation = std::sqrt(c.variance);
    for (const double y : {0.0, 1.0, 5.0, 60.0}) {
      constexpr int kPoints = 8001;
      const double from = c.mean - 12 * deviation, step = 24 * deviation / (kPoints - 1);
      double sum = 0;
      for (int j = 0; j < kPoints; ++j) {
        const double f = from + j * step, x = (f - c.mean) / deviation;
        sum += std::exp(LogMass(y, f, c.shape) - 0.5 * x * x);
      }
      const double want = std::log(sum * step / (deviation * std::sqrt(2 * std::numbers::pi)));
      EXPECT_NEAR(d.LogDensity(y), want, 1e-8 * (1 + std::abs(want))) << c.mean << " " << y;
    }
  }
}

TEST(NegativeBinomialMixture, OfShapeOneWithoutVarianceIsGeometric) {
  const NegativeBinomialMixture d = Make(std::log(3), 0, 1);
  for (const double y : {0.0, 1.0, 7.0, 40.0}) {
    EXPECT_NEAR(d.LogDensity(y), y * std::log(0.75) + std::log(0.25), 1e-12);
    EXPECT_NEAR(d.Cdf(y), 1 - std::pow(0.75, y + 1), 1e-13);
  }
  EXPECT_EQ(d.Mean(), std::exp(std::log(3)));
  EXPECT_NEAR(d.Variance(), 3 + 9, 1e-13);
  EXPECT_EQ(d.EpistemicVariance(), 0);
  EXPECT_EQ(d.LogDensity(1.5), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(d.Cdf(-0.5), 0);
}

std::vector<double> CumulativeMasses(const Case& c) {
  const NegativeBinomialMixture d = Make(c.mean, c.variance, c.shape);
  std::vector<double> cdf;
  double sum = 0;
  for (int k = 0; k < c.terms; ++k) cdf.push_back(sum += std::exp(d.LogDensity(k)));
  return cdf;
}

TEST(NegativeBinomialMixture, CdfIsTheSumOfMasses) {
  for (const Case& c : Cases()) {
    const NegativeBinomialMixture d = Make(c.mean, c.variance, c.shape);
    const std::vector<double> cdf = CumulativeMasses(c);
    EXPECT_NEAR(cdf.back(), 1, c.missed + 1e-9) << c.mean << " " << c.shape;
    for (int k = 0; k < c.terms; k += 1 + k / 10) {
      EXPECT_NEAR(d.Cdf(k), cdf[static_cast<std::size_t>(k)], 2e-6) << c.mean << " at " << k;
    }
  }
}

TEST(NegativeBinomialMixture, MomentsAreThoseOfTheMasses) {
  for (const Case& c : Cases()) {
    if (c.missed > 1e-9) continue;
    const NegativeBinomialMixture d = Make(c.mean, c.variance, c.shape);
    double mean = 0, square = 0;
    for (int k = 0; k < c.terms; ++k) {
      mean += k * std::exp(d.LogDensity(k));
      square += static_cast<double>(k) * k * std::exp(d.LogDensity(k));
    }
    EXPECT_NEAR(mean / d.Mean(), 1, 1e-6) << c.mean;
    EXPECT_NEAR((square - mean * mean) / d.Variance(), 1, 1e-4) << c.mean;
  }
}

TEST(NegativeBinomialMixture, QuantileIsTheLeastCountThatReaches) {
  for (const Case& c : Cases()) {
    const NegativeBinomialMixture d = Make(c.mean, c.variance, c.shape);
    for (const double p : {1e-4, 0.05, 0.25, 0.5, 0.75, 0.95, 0.9999}) {
      const double k = d.Quantile(p);
      EXPECT_GE(d.Cdf(k), p) << c.mean << " " << p;
      EXPECT_LT(d.Cdf(k - 1), p) << c.mean << " " << p;
    }
  }
}

TEST(NegativeBinomialMixture, CrpsIsTheSumOfSquaredCdfErrors) {
  for (const Case& c : Cases()) {
    const NegativeBinomialMixture d = Make(c.mean, c.variance, c.shape);
    const std::vector<double> cdf = CumulativeMasses(c);
    for (const double y : {0.0, 3.0, std::floor(2.5 * d.Mean())}) {
      double sum = 0;
      for (int k = 0; k < c.terms; ++k) {
        const double error = cdf[static_cast<std::size_t>(k)] - (k >= y ? 1 : 0);
        sum += error * error;
      }
      EXPECT_NEAR(d.Crps(y) / sum, 1, 1e-3) << c.mean << " " << c.shape << " at " << y;
    }
  }
}

TEST(NegativeBinomialMixture, OfLittleDispersionIsNearlyPoisson) {
  const NegativeBinomialMixture d = Make(1, 0.1, 1000);
  const PoissonMixture poisson(1, 0.1);
  for (const double y : {0.0, 2.0, 9.0}) {
    EXPECT_NEAR(d.LogDensity(y), poisson.LogDensity(y), 0.03) << y;
    EXPECT_NEAR(d.Cdf(y), poisson.Cdf(y), 1e-3) << y;
  }
}

// The asymptotic forms take over from the exact ones.
TEST(NegativeBinomialMixture, LargeCountsGoOnWhereSmallOnesEnd) {
  for (const double shape : {0.2, 1.0, 30.0}) {
    const NegativeBinomialMixture d = Make(std::log(1e5), 0, shape);
    const double below = d.Cdf(1e5), above = d.Cdf(1e5 + 1);
    EXPECT_NEAR(above - below, std::exp(d.LogDensity(1e5 + 1)), 1e-7) << shape;
    const double edge = std::floor(1e5 * (1 + shape));
    const double ratio = (edge + shape) / (edge + 1) * 1e5 / (1e5 + shape);
    EXPECT_NEAR(d.LogDensity(edge + 1) - d.LogDensity(edge), std::log(ratio), 1e-7) << shape;
  }
}

TEST(NegativeBinomialMixture, HugeRatesTerminate) {
  for (const double mean : {20.0, 100.0, 250.0}) {
    for (const double variance : {0.0, 1e-6, 1.0, 50.0}) {
      const NegativeBinomialMixture d = Make(mean, variance, 2);
      const double median = d.Quantile(0.5);
      EXPECT_NEAR(std::log(median), mean, 0.5) << variance;
      EXPECT_TRUE(std::isfinite(d.LogDensity(median)));
      EXPECT_TRUE(std::isfinite(d.Crps(median)));
    }
  }
  EXPECT_EQ(Make(-300, 1, 2).Quantile(0.99), 0);
}

}  // namespace
}  // namespace prequel::negative_binomial_mixture_test
