#include "core/distributions/count_curve.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/distributions/negative_binomial_mixture.h"
#include "core/distributions/poisson_mixture.h"

namespace prequel::count_curve_test {
namespace {

// E P(Y ≤ x | f) by a fine sum over f.
double FineCdf(double x, double mean, double variance, double shape) {
  constexpr int kPoints = 600;
  double sum = 0, weights = 0;
  for (int j = -kPoints; j <= kPoints; ++j) {
    const double z = 8.5 * j / kPoints, weight = std::exp(-0.5 * z * z);
    weights += weight;
    sum += weight * NegativeBinomialKernel(shape).Cdf(x, mean + z * std::sqrt(variance));
  }
  return sum / weights;
}

// Of rates below 1 and of hundreds, nearly Poisson and with a dispersion of 10, known and vague.
TEST(CountCurve, IsTheDistributionFunction) {
  for (const double mean : {-3.0, 0.0, 3.0, 6.0}) {
    for (const double variance : {0.0, 1e-3, 0.1, 2.0}) {
      for (const double shape : {0.1, 0.5, 2.0, 30.0}) {
        const NegativeBinomialMixture d(mean, variance, NegativeBinomialKernel(shape));
        const CountCurve curve(d);
        const double end = std::exp(mean + 5 * LogDeviation(d)) + 10;
        for (double k = 0; k < end; k = std::floor(1.4 * k + 1)) {
          const double want = FineCdf(k, mean, variance, shape);
          EXPECT_NEAR(CdfBetween(d, k), want, 1e-5) << mean << " " << variance << " " << shape;
          EXPECT_NEAR(NormalCdf(curve.Probit(std::log1p(k))), want, 3e-5)
              << mean << " " << variance << " " << shape << " at " << k;
        }
      }
    }
  }
}

TEST(CountCurve, OfPoissonIsItsOwnToo) {
  for (const double mean : {-2.0, 1.0, 5.0}) {
    for (const double variance : {0.0, 0.01, 0.5}) {
      const PoissonMixture d(mean, variance);
      const CountCurve curve(d);
      for (double k = 0; k < 600; k = std::floor(1.4 * k + 1)) {
        EXPECT_NEAR(CdfBetween(d, k), d.Cdf(k), 1e-5) << mean << " " << variance << " at " << k;
        EXPECT_NEAR(NormalCdf(curve.Probit(std::log1p(k))), d.Cdf(k), 5e-5)
            << mean << " " << variance << " at " << k;
      }
    }
  }
}

}  // namespace
}  // namespace prequel::count_curve_test
