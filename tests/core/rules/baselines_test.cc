// The baselines sgd, bbb and natural_gradient_svi against their formulas and optima.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/rules/rule.h"
#include "tests/core/belief_of.h"
#include "tests/core/rules/stationary.h"

namespace prequel::baselines_test {
namespace {

TEST(Sgd, FollowsItsRecursionToTheMode) {
  const LinearProblem problem;
  const LearnerConfig config = problem.Config("sgd", {{"alpha", 0.02},
                                                      {"momentum", 0.6},
                                                      {"schedule", std::string("multi_step")},
                                                      {"milestones", std::vector<double>{2, 3}},
                                                      {"decay", 0.5}});
  const auto rows = static_cast<double>(problem.rows);
  const Matrix precision = problem.ExactPrecision() / rows;
  const Vector constant = precision * problem.ExactMean();
  Vector m = Vector::Zero(problem.size()), b = m;
  for (int t = 0; t < 5; ++t) {
    b = 0.6 * b + precision * m - constant;
    m -= 0.02 * std::pow(0.5, t < 2 ? 0 : t < 3 ? 1 : 2) * b;
    const Settled got = Settle(config, problem.batch, t + 1);
    EXPECT_LT((std::get<PointMass>(BeliefOf(got.state).posterior).mean - m).cwiseAbs().maxCoeff(),
              1e-12);
  }
  const Settled end = Settle(problem.Config("sgd", {{"alpha", 0.05}}), problem.batch, 2000);
  EXPECT_LT((std::get<PointMass>(BeliefOf(end.state).posterior).mean - problem.ExactMean())
                .cwiseAbs()
                .maxCoeff(),
            1e-9);
}

// Gradients of a draw, at the prior N(0, I/precision), of the mean negative log-likelihood.
struct Draw {
  Vector deviation, gradient;
  explicit Draw(const LinearProblem& problem, const LearnerConfig& config) {
    deviation.resize(problem.size());
    FillNormal(Stream{config.seed, 0, 0x0100'0000}, deviation);
    deviation /= std::sqrt(problem.precision);
    gradient = problem.Design().transpose() *
               (problem.Design() * deviation - problem.batch.targets.transpose()) /
               (problem.noise * static_cast<double>(problem.rows));
  }
};

TEST(Bbb, FirstStepIsItsFormula) {
  const LinearProblem problem;
  const LearnerConfig config = problem.Config("bbb", {{"alpha", 0.1}, {"epsilon", 0.5}});
  const Draw draw(problem, config);
  const Settled got = Settle(config, problem.batch, 1);
  const auto& q = std::get<DiagonalGaussian>(BeliefOf(got.state).posterior);
  for (Index j = 0; j < problem.size(); ++j) {
    const double g = draw.gradient[j], of_log = draw.deviation[j] * g;  // KL is flat at the prior
    EXPECT_NEAR(q.mean[j], -0.1 * g / (std::abs(g) + 0.5), 1e-12);
    const double log_step = 0.1 * of_log / (std::abs(of_log) + 0.5);
    EXPECT_NEAR(q.precision[j], problem.precision * std::exp(2 * log_step), 1e-12);
  }
}

TEST(NaturalGradientSvi, FirstStepIsItsFormula) {
  const LinearProblem problem;
  const LearnerConfig config =
      problem.Config("natural_gradient_svi", {{"alpha", 0.0001}, {"samples", 1.0}});
  const Draw draw(problem, config);
  const Settled got = Settle(config, problem.batch, 1);
  const auto& q = std::get<DiagonalGaussian>(BeliefOf(got.state).posterior);
  const auto rows = static_cast<double>(problem.rows);
  for (Index j = 0; j < problem.size(); ++j) {
    EXPECT_NEAR(q.mean[j], -0.0001 * rows * draw.gradient[j] / problem.precision, 1e-11);
    const double log_deviation = -0.5 * 0.0001 * rows * draw.deviation[j] * draw.gradient[j];
    EXPECT_NEAR(q.precision[j] / (problem.precision * std::exp(-2 * log_deviation)), 1, 1e-12);
  }
}

TEST(NaturalGradientSvi, HoldsAStepWithinADeviation) {
  const LinearProblem problem;
  const LearnerConfig config =
      problem.Config("natural_gradient_svi", {{"alpha", 1.0}, {"samples", 1.0}});
  const Draw draw(problem, config);
  const Posterior q = BeliefOf(Settle(config, problem.batch, 1).state).posterior;
  for (Index j = 0; j < problem.size(); ++j) {
    EXPECT_NEAR(std::get<DiagonalGaussian>(q).mean[j],
                (draw.gradient[j] > 0 ? -1 : 1) / std::sqrt(problem.precision), 1e-12);
    EXPECT_LE(std::abs(std::log(std::get<DiagonalGaussian>(q).precision[j] / problem.precision)),
              1 + 1e-12);
  }
}

TEST(Baselines, SettleAtTheMeanFieldOptimum) {
  const LinearProblem problem;
  const Vector want = problem.ExactPrecision().diagonal();
  const std::map<std::string, OptionMap> rules = {
      {"bbb", {{"alpha", 0.001}, {"samples", 4.0}}},
      {"natural_gradient_svi", {{"alpha", 0.005}, {"samples", 8.0}}}};
  for (const auto& [rule, options] : rules) {
    const Settled got = Settle(problem.Config(rule, options), problem.batch, 20000);
    EXPECT_LT(LargestInDeviations(got.mean, problem.ExactMean(), want), 0.05) << rule;
    EXPECT_LT(LargestRelative(got.precision, want), 0.03) << rule;
  }
}

}  // namespace
}  // namespace prequel::baselines_test
