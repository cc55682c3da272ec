#include "core/likelihoods/negative_binomial.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/config/error.h"

namespace prequel {
namespace {

absl::Status Configure(NegativeBinomial& likelihood, double dispersion) {
  const ComponentConfig config{"negative_binomial", {{"dispersion", dispersion}}};
  Options options("config.likelihood", config);
  return likelihood.Configure(options, {.name = "y"});
}

TEST(NegativeBinomial, DispersionIsBounded) {
  NegativeBinomial likelihood;
  EXPECT_TRUE(Configure(likelihood, 0.001).ok());
  EXPECT_TRUE(Configure(likelihood, 10).ok());
  for (const double wrong : {-1.0, 0.0, 11.0}) {
    EXPECT_EQ(FieldOf(Configure(likelihood, wrong)), "config.likelihood.options.dispersion");
  }
}

// E λ + α E λ² of noise, and Var λ.
TEST(NegativeBinomial, PredictiveHasTheExactMoments) {
  NegativeBinomial likelihood;
  ASSERT_TRUE(Configure(likelihood, 0.4).ok());
  const NegativeBinomialMixture d =
      likelihood.Marginal({Matrix::Constant(1, 1, 0.4), Matrix::Constant(1, 1, 0.9)}, {}, 0, 0);
  EXPECT_NEAR(d.Mean(), std::exp(0.85), 1e-14);
  EXPECT_NEAR(d.EpistemicVariance(), std::exp(1.7) * (std::exp(0.9) - 1), 1e-13);
  EXPECT_NEAR(d.AleatoricVariance(), std::exp(0.85) + 0.4 * std::exp(2.6), 1e-13);
}

TEST(NegativeBinomial, DivergingLogRatesGiveFinitePredictives) {
  NegativeBinomial likelihood;
  ASSERT_TRUE(Configure(likelihood, 10).ok());
  for (const double f : {-1e3, 1e3}) {
    for (const double v : {0.0, 1.0, 1e4}) {
      const NegativeBinomialMixture d =
          likelihood.Marginal({Matrix::Constant(1, 1, f), Matrix::Constant(1, 1, v)}, {}, 0, 0);
      EXPECT_TRUE(std::isfinite(d.Mean())) << f << " " << v;
      EXPECT_TRUE(std::isfinite(d.Variance())) << f << " " << v;
    }
  }
}

TEST(NegativeBinomial, CountsEndWhereDoublesStopCounting) {
  const NegativeBinomial likelihood;
  EXPECT_EQ(likelihood.TargetProblem(NegativeBinomial::kMaxCount), "");
  EXPECT_NE(likelihood.TargetProblem(2 * NegativeBinomial::kMaxCount), "");
}

}  // namespace
}  // namespace prequel
