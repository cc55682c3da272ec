// What gaussian and poisson say of values: their options and predictives.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "core/config/field_error.h"
#include "core/likelihoods/gaussian.h"
#include "core/likelihoods/poisson.h"

namespace prequel::values_test {
namespace {

template <class L>
absl::Status Configure(L& likelihood, const std::map<std::string, OptionValue>& given,
                       Index width = 2) {
  const ComponentConfig config{std::string(L::kName), given};
  Options options("config.likelihood", config);
  return likelihood.Configure(options, {.name = "y", .width = width});
}

TEST(Gaussian, NoiseIsLearnedUnlessGiven) {
  Gaussian learned, given, wrong;
  ASSERT_TRUE(Configure(learned, {}).ok());
  EXPECT_TRUE(learned.noise().learned());
  EXPECT_GT(2 * learned.noise().shape, 2) << "the first predictive has a finite variance";
  ASSERT_TRUE(Configure(given, {{"noise", 0.25}}).ok());
  EXPECT_FALSE(given.noise().learned());
  EXPECT_EQ(given.noise().variance, 0.25);
  EXPECT_EQ(FieldOf(Configure(wrong, {{"noise", 0.0}})), "config.likelihood.options.noise");
  EXPECT_EQ(FieldOf(Configure(wrong, {{"noise", std::string("auto")}})),
            "config.likelihood.options.noise");
  EXPECT_EQ(FieldOf(Configure(wrong, {{"noise_rate", -1.0}})),
            "config.likelihood.options.noise_rate");
}

TEST(Gaussian, PredictiveSplitsItsVariance) {
  Gaussian likelihood;
  ASSERT_TRUE(Configure(likelihood, {}).ok());
  Matrix mean(2, 2), covariance(2, 4);
  mean << 1, 2, 3, 4;
  covariance << 0.5, 0.1, 0.6, 0.2, 0.1, 0.7, 0.2, 0.8;
  const NoiseLevel noise{Eigen::Vector2d(0.25, 1), Eigen::Vector2d(6, 1e300)};
  const StudentT t = likelihood.Marginal({mean, covariance}, noise, 0, 1);
  EXPECT_EQ(t.location, 2);
  EXPECT_NEAR(t.scale, std::sqrt(0.6 + 0.25), 1e-15);
  EXPECT_EQ(t.dof, 6);
  EXPECT_NEAR(t.EpistemicVariance(), 0.6 * 6 / 4, 1e-14);
  EXPECT_NEAR(t.AleatoricVariance(), 0.25 * 6 / 4, 1e-14);
  EXPECT_NEAR(likelihood.Marginal({mean, covariance}, noise, 1, 1).scale, std::sqrt(1.8), 1e-15);
  EXPECT_EQ(likelihood.Marginal({mean, Matrix(2, 0)}, noise, 0, 1).EpistemicVariance(), 0);
}

TEST(Poisson, PredictiveHasTheExactMoments) {
  Poisson likelihood;
  ASSERT_TRUE(Configure(likelihood, {}, 1).ok());
  const PoissonMixture d =
      likelihood.Marginal({Matrix::Constant(1, 1, 0.4), Matrix::Constant(1, 1, 0.9)}, {}, 0, 0);
  EXPECT_NEAR(d.Mean(), std::exp(0.85), 1e-14);
  EXPECT_NEAR(d.EpistemicVariance(), std::exp(1.7) * (std::exp(0.9) - 1), 1e-13);
  EXPECT_NEAR(d.AleatoricVariance(), std::exp(0.85), 1e-14);
}

TEST(Poisson, DivergingLogRatesGiveFinitePredictives) {
  Poisson likelihood;
  ASSERT_TRUE(Configure(likelihood, {}, 1).ok());
  for (const double f : {-1e3, 1e3}) {
    for (const double v : {0.0, 1.0, 1e4}) {
      const PoissonMixture d =
          likelihood.Marginal({Matrix::Constant(1, 1, f), Matrix::Constant(1, 1, v)}, {}, 0, 0);
      EXPECT_TRUE(std::isfinite(d.Mean())) << f << " " << v;
      EXPECT_TRUE(std::isfinite(d.Variance())) << f << " " << v;
    }
  }
}

TEST(Poisson, CountsEndWhereDoublesStopCounting) {
  EXPECT_EQ(Poisson().TargetProblem(Poisson::kMaxCount), "");
  EXPECT_NE(Poisson().TargetProblem(2 * Poisson::kMaxCount), "");
}

}  // namespace
}  // namespace prequel::values_test
