#include "core/likelihoods/negative_binomial.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/config/field_error.h"
#include "tests/core/configured.h"

namespace prequel::negative_binomial_test {
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
  for (const double wrong : {-1.0, 0.0, 0.0009, 11.0}) {
    EXPECT_EQ(FieldOf(Configure(likelihood, wrong)), "config.likelihood.options.dispersion");
  }
}

// Of two outputs and eleven examples, as uncertain as they may be.
struct Sample {
  LogitMoments moments{Matrix(2, 11), Matrix::Zero(2, 22)};
  Matrix targets{2, 11};

  Sample() {
    for (Index i = 0; i < 11; ++i) {
      for (Index c = 0; c < 2; ++c) {
        moments.mean(c, i) = 0.4 * static_cast<double>(i) - 1 + static_cast<double>(c);
        moments.covariance(c, 2 * i + c) = 0.1 * static_cast<double>(i);
        targets(c, i) = static_cast<double>((7 * i + 3 * c) % 12);
      }
    }
  }
};

// Against finite differences of E log p, which Expand computes. The step is the score over a
// precision that this minibatch hardly adds to.
TEST(NegativeBinomial, LearnsTheDispersionByTheDerivativeOfTheExpectedLogDensity) {
  const auto likelihood = Configured<NegativeBinomial>({"negative_binomial", {}},
                                                       TargetConfig{.name = "y", .width = 2});
  ASSERT_TRUE(likelihood.noise().learned_dispersion());
  const Sample sample;
  for (const double dispersion : {0.01, 0.4, 5.0}) {
    for (Index output = 0; output < 2; ++output) {
      const auto log_density = [&](double at) {
        NoiseLevel level{.variance = Vector::Constant(2, dispersion)};
        level.variance[output] = at;
        LocalExpansion expansion;
        likelihood.Expand(sample.moments, sample.targets, level, expansion);
        return expansion.log_density;
      };
      constexpr double kStep = 1e-4;
      const double score =
          (log_density(dispersion * std::exp(kStep)) - log_density(dispersion * std::exp(-kStep))) /
          (2 * kStep);
      NoiseState state{Vector::Constant(2, 1e7), Vector::Constant(2, 1e7 * dispersion)};
      ASSERT_TRUE(
          likelihood.LearnNoise({sample.targets, sample.targets, sample.moments, 0}, state).ok());
      const double step = std::log(state.rate[output] / state.shape[output] / dispersion);
      EXPECT_NEAR(step * state.shape[output], score, 1e-5 * (1 + std::abs(score))) << dispersion;
    }
  }
}

// Counts that say that there is none, or no end of it.
TEST(NegativeBinomial, LearnedDispersionStaysInItsRange) {
  const auto likelihood =
      Configured<NegativeBinomial>({"negative_binomial", {}}, TargetConfig{.name = "y"});
  const LogitMoments moments{Matrix::Constant(1, 64, 3), Matrix::Zero(1, 0)};
  Matrix even = Matrix::Constant(1, 64, 20), wild = Matrix::Zero(1, 64);
  wild(0, 0) = 1e9;
  NoiseState least{Vector::Ones(1), Vector::Ones(1)}, most = least;
  for (int step = 0; step < 20'000; ++step) {
    ASSERT_TRUE(likelihood.LearnNoise({even, even, moments, 0}, least).ok());
    ASSERT_TRUE(likelihood.LearnNoise({wild, wild, moments, 64}, most).ok());
  }
  EXPECT_GE(least.rate[0] / least.shape[0], 0.001 * (1 - 1e-12));
  EXPECT_LT(least.rate[0] / least.shape[0], 0.02);
  EXPECT_NEAR(most.rate[0] / most.shape[0], 10, 1e-9);
}

// In dataset mode 64 examples count as 64, however often they come.
TEST(NegativeBinomial, InDatasetModeAnExampleCountsOnce) {
  const auto likelihood =
      Configured<NegativeBinomial>({"negative_binomial", {}}, TargetConfig{.name = "y"});
  const LogitMoments moments{Matrix::Constant(1, 16, 3), Matrix::Zero(1, 0)};
  Matrix targets(1, 16);
  for (Index i = 0; i < 16; ++i) targets(0, i) = 4 * static_cast<double>(i % 10);
  NoiseState state{Vector::Ones(1), Vector::Ones(1)};
  for (int pass = 0; pass < 1000; ++pass) {
    ASSERT_TRUE(likelihood.LearnNoise({targets, targets, moments, 64}, state).ok());
    ASSERT_LT(state.shape[0], 1 + 64 * 0.5);
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
}  // namespace prequel::negative_binomial_test
