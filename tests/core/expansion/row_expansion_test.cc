#include "core/expansion/row_expansion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "core/distributions/sigmoid_normal.h"
#include "core/rules/fit_row.h"

namespace prequel::row_expansion_test {
namespace {

// A row is a minibatch of one, of whichever likelihood: near, wide, far out, and known exactly.
TEST(RowExpansion, IsThatOfAMinibatchOfOne) {
  NoiseLevel noise;
  noise.variance = Vector::Constant(1, 0.3);
  for (const Likelihood& likelihood :
       {Likelihood(Gaussian()), Likelihood(Bernoulli()), Likelihood(Poisson())}) {
    RowExpansion row;
    row.Bind(likelihood, noise);
    for (const double target : {0.0, 1.0}) {
      row.Take(target);
      for (const double mean : {-400.0, -7.0, 0.2, 3.0}) {
        for (const double variance : {0.0, 0.5, 4.0, 5.0, 900.0}) {
          if (std::holds_alternative<Poisson>(likelihood) && variance > 4) continue;
          LogitMoments moments{.mean = Matrix::Constant(1, 1, mean),
                               .covariance = Matrix::Constant(1, 1, variance)};
          const Matrix targets = Matrix::Constant(1, 1, target);
          LocalExpansion want;
          const double wide = variance > 4 ? 1e-6 : 1e-12;  // of the expansion alone
          const auto check = [&](double log_density, double most) {
            std::visit([&](const auto& l) { l.Expand(moments, targets, noise, want); }, likelihood);
            const double curvature = want.root.squaredNorm();
            EXPECT_NEAR(log_density, want.log_density, most * (1 + std::abs(want.log_density)))
                << likelihood.index() << ": " << target << ", " << mean << ", " << variance;
            EXPECT_NEAR(row.score(), want.score(0, 0), most * (1 + std::abs(want.score(0, 0))));
            EXPECT_NEAR(row.curvature(), curvature, 10 * most * curvature);
          };
          check(row.Expect(Expectation::kLinearized, mean, variance), wide);
          moments.covariance.resize(1, 0);
          check(row.Expect(Expectation::kAtMean, mean, variance), 1e-12);
        }
      }
    }
  }
}

// log E p(y | f), of the sigmoid to a relative 1e-6 by quadrature.
double LogEvidence(double target, double mean, double variance) {
  const OneSigmoid e = ExpectOneSigmoid(mean, std::sqrt(variance));
  return std::log(target != 0 ? e.one : e.zero);
}

// By central differences of it: near, wide, and far out on either side.
TEST(RowExpansion, SitesOfClassesAreTheSlopesOfTheEvidence) {
  const Likelihood likelihood = Bernoulli();
  const NoiseLevel noise;
  RowExpansion row;
  row.Bind(likelihood, noise);
  ASSERT_TRUE(row.has_site());
  for (const double target : {0.0, 1.0}) {
    row.Take(target);
    for (const double variance : {0.01, 0.5, 4.0, 40.0, 900.0}) {
      for (const double mean : {-30.0, -7.0, -1.0, 0.0, 0.4, 3.0, 25.0}) {
        SCOPED_TRACE(testing::Message() << target << ", " << mean << ", " << variance);
        const double step = 0.1 * std::sqrt(1 + variance);
        const double at = LogEvidence(target, mean, variance);
        const double above = LogEvidence(target, mean + step, variance);
        const double below = LogEvidence(target, mean - step, variance);
        if (!(std::min({at, above, below}) > -50)) continue;  // the quadrature's own end
        const RowSite site = row.Site(mean, variance);
        const double slope = (above - below) / (2 * step);
        const double bend = (2 * at - above - below) / (step * step);
        EXPECT_NEAR(site.log_evidence, at, 2e-3);
        EXPECT_NEAR(site.gradient, slope, 0.004 + 0.02 * std::abs(slope));
        const double share = site.curvature / (1 + site.curvature * variance);
        EXPECT_NEAR(share, bend, 0.004 + 0.03 * bend);
        EXPECT_GE(site.curvature, 0);
      }
    }
  }
}

TEST(RowExpansion, ASiteOfManyRowsIsFiniteHoweverFarOut) {
  const Likelihood likelihood = Bernoulli();
  const NoiseLevel noise;
  RowExpansion row;
  row.Bind(likelihood, noise);
  for (const double mean : {-1e8, -1e3, 0.0, 1e3, 1e8}) {
    for (const double variance : {0.0, 1.0, 1e12}) {
      row.Take(1);
      const RowSite site = row.Site(mean, variance);
      EXPECT_TRUE(std::isfinite(site.gradient)) << mean << ", " << variance;
      EXPECT_TRUE(std::isfinite(site.curvature)) << mean << ", " << variance;
      EXPECT_GE(site.gradient, 0);
      EXPECT_GE(site.curvature, 0);
    }
  }
}

// A rule that is asked to step at the mean, or explicitly, does not go by sites.
TEST(RowExpansion, OnlyAnImplicitLinearisedRuleGoesBySites) {
  const Likelihood likelihood = Bernoulli();
  const NoiseLevel noise;
  RowExpansion row;
  row.Bind(likelihood, noise);
  row.Take(1);
  constexpr double kMean = -0.7, kVariance = 3;
  const auto step_of = [&](Rvga::Scheme scheme, Rvga::Over over) {
    Rvga rule;
    rule.scheme = scheme;
    rule.over = over;
    StepReport report;
    RowStep step;
    EXPECT_TRUE(FitRow(rule, row, kMean, kVariance, report, step).ok());
    return step;
  };
  const double site = row.Site(kMean, kVariance).gradient;
  using enum Rvga::Scheme;
  EXPECT_EQ(step_of(kImplicit, Rvga::Over::kLinearized).gradient, site);
  // The maximum a posteriori: a = 1 − σ(m + v a).
  const double at_mean = step_of(kImplicit, Rvga::Over::kMean).gradient;
  EXPECT_NEAR(at_mean, 1 / (1 + std::exp(kMean + kVariance * at_mean)), 1e-3);
  // One Newton step with expectations under the prior.
  const OneSigmoid e = ExpectOneSigmoid(kMean, std::sqrt(kVariance));
  EXPECT_NEAR(step_of(kExplicit, Rvga::Over::kLinearized).gradient,
              e.zero / (1 + e.curvature * kVariance), 1e-9);
}

// A gaussian row that counts twice is two rows, one after the other.
TEST(RowExpansion, ASiteThatCountsTwiceIsTwo) {
  NoiseLevel noise;
  noise.variance = Vector::Constant(1, 0.3);
  const Likelihood likelihood = Gaussian();
  RowExpansion row;
  row.Bind(likelihood, noise);
  row.Take(1.7);
  double mean = 0.2, variance = 2;
  for (int i = 0; i < 2; ++i) {
    const RowSite site = row.Site(mean, variance);
    mean += variance * site.gradient;
    variance /= 1 + site.curvature * variance;
  }
  row.Take(1.7, 2);
  const RowSite both = row.Site(0.2, 2);
  EXPECT_NEAR(0.2 + 2 * both.gradient, mean, 1e-14);
  EXPECT_NEAR(2 / (1 + both.curvature * 2), variance, 1e-14);
}

}  // namespace
}  // namespace prequel::row_expansion_test
