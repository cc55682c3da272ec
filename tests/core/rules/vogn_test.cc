// vogn, ogn and vadam against their recursions and against where theory says they settle.
#include "core/rules/vogn.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "tests/core/belief_of.h"
#include "tests/core/rules/stationary.h"

namespace prequel::vogn_test {
namespace {

// Every option at work, by empirical Fisher, written out for three steps.
TEST(Vogn, FollowsItsRecursion) {
  const LinearProblem problem;
  const LearnerConfig config = problem.Config("vogn", {{"alpha", 0.3},
                                                       {"beta1", 0.8},
                                                       {"beta2", 0.7},
                                                       {"damping", 0.05},
                                                       {"temperature", 0.5},
                                                       {"warm_up", 2.0},
                                                       {"augmentation", 3.0},
                                                       {"schedule", std::string("cosine")},
                                                       {"schedule_steps", 4.0}});
  const Learner learner = *Learner::Create(config);
  LearnerState state = learner.Initial(), next;
  Scratch scratch;
  const Matrix x = problem.Design();
  const double examples = 3.0 * static_cast<double>(problem.rows);
  const auto rows = static_cast<double>(problem.rows);
  Vector m = Vector::Zero(problem.size()), b = m, s = m;
  Vector precision = Vector::Constant(problem.size(), problem.precision);
  for (int t = 0; t < 3; ++t) {
    Vector z(problem.size());
    FillNormal(Stream{config.seed, static_cast<std::uint64_t>(t), 0x0100'0000}, z);
    const Vector theta = m + z.cwiseQuotient(precision.cwiseSqrt());
    const Vector residual = (x * theta - problem.batch.targets.transpose()) / problem.noise;
    const Vector gradient = x.transpose() * residual / rows;
    const Vector fisher = x.cwiseAbs2().transpose() * residual.cwiseAbs2() / rows;
    const double tau = 0.5 * (t == 0 ? 0.1 : t == 1 ? 0.55 : 1.0);
    const double delta = tau * problem.precision / examples;
    s = t == 0 ? fisher : Vector(0.7 * s + 0.3 * fisher);
    b = 0.8 * b + 0.2 * (gradient + delta * m);
    const Vector damped = (s.array() + delta + 0.05).matrix();
    const double alpha = 0.3 * 0.5 * (1 + std::cos(std::numbers::pi * t / 4));
    m -= alpha / (1 - std::pow(0.8, t + 1)) * b.cwiseQuotient(damped);
    precision = examples / tau * damped;

    ASSERT_TRUE(learner.Update(state, problem.batch, scratch, next).ok());
    std::swap(state, next);
    const auto& q = std::get<DiagonalGaussian>(BeliefOf(state).posterior);
    EXPECT_LT((q.mean - m).cwiseAbs().maxCoeff(), 1e-12) << t;
    EXPECT_LT(LargestRelative(q.precision, precision), 1e-12) << t;
  }
}

// With the Gauss-Newton curvature: the mean-field optimum.
TEST(Vogn, SettlesAtTheMeanFieldOptimumByGaussNewton) {
  const LinearProblem problem;
  const Vector want = problem.ExactPrecision().diagonal();
  const LearnerConfig config =
      problem.Config("vogn", {{"curvature", std::string("ggn")}, {"alpha", 0.02}, {"beta2", 0.9}});
  const Settled got = Settle(config, problem.batch, 20000);
  EXPECT_LT(LargestRelative(got.precision, want), 1e-9);
  EXPECT_LT(LargestInDeviations(got.mean, problem.ExactMean(), want), 0.03);
}

// With the empirical Fisher: Λ_j = Λ₀ + Σ_i x_ij² E[r_i²]/R², E[r_i²] = (y_i − x_i m)² +
// Σ_k x_ik²/Λ_k. Of well-specified data that is near the curvature, but it is not the curvature.
TEST(Vogn, SettlesElsewhereByEmpiricalFisher) {
  const LinearProblem problem;
  const Matrix squares = problem.Design().cwiseAbs2();
  const Vector miss = problem.batch.targets.transpose() - problem.Design() * problem.ExactMean();
  const Vector curvature = problem.ExactPrecision().diagonal();
  Vector want = curvature;
  for (int i = 0; i < 100; ++i) {
    const Vector energy = miss.cwiseAbs2() + squares * want.cwiseInverse();
    want = (squares.transpose() * energy / (problem.noise * problem.noise)).array() +
           problem.precision;
  }
  const Settled got =
      Settle(problem.Config("vogn", {{"alpha", 0.02}, {"beta2", 0.99}}), problem.batch, 20000);
  EXPECT_LT(LargestRelative(got.precision, want), 0.01);
  EXPECT_GT(LargestRelative(want, curvature), 0.1);
  EXPECT_LT(LargestInDeviations(got.mean, problem.ExactMean(), want), 0.03);
}

// τ tempers the posterior: the likelihood counts 1/τ times, the prior once.
TEST(Vogn, TemperatureSharpensTheLikelihoodOnly) {
  const LinearProblem problem;
  const LearnerConfig config = problem.Config(
      "vogn", {{"curvature", std::string("ggn")}, {"temperature", 0.25}, {"alpha", 0.5}});
  const Settled got = Settle(config, problem.batch, 10);
  const Vector data = problem.ExactPrecision().diagonal().array() - problem.precision;
  const Vector want = (4 * data.array() + problem.precision).matrix();
  EXPECT_LT(LargestRelative(got.precision, want), 1e-9);
}

// OGN goes to the mode, and its Gauss-Newton precision is Laplace's.
TEST(Ogn, SettlesAtTheModeWithLaplacesPrecision) {
  constexpr Index kInputs = 3, kRows = 200;
  constexpr double kPrior = 4;
  const Batch batch = LogisticBatch(kInputs, kRows, 1);
  LearnerConfig config = PlainConfig(kInputs, "bernoulli");
  config.prior.options["precision"] = kPrior;
  config.rule = {"ogn",
                 {{"mode", std::string("dataset")},
                  {"dataset_size", static_cast<double>(kRows)},
                  {"curvature", std::string("ggn")},
                  {"alpha", 0.2},
                  {"beta2", 0.5}}};
  const Settled got = Settle(config, batch, 400);
  const auto& q = std::get<DiagonalGaussian>(BeliefOf(got.state).posterior);
  Vector gradient = kPrior * q.mean;
  Vector precision = Vector::Constant(kInputs + 1, kPrior);
  for (Index i = 0; i < kRows; ++i) {
    Vector x(kInputs + 1);
    x << batch.inputs.col(i), 1;
    const double one = 1 / (1 + std::exp(-q.mean.dot(x)));
    gradient += x * (one - batch.targets(0, i));
    precision += one * (1 - one) * x.cwiseAbs2();
  }
  EXPECT_LT(gradient.cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT(LargestRelative(q.precision, precision), 1e-8);
}

// Λ_j = N E[ĝ_j²] + Λ₀ with ĝ = A θ − c, A = XᵀX/(R N): E[ĝ_j²] = (A m − c)_j² + Σ_k A_jk²/Λ_k.
TEST(Vadam, SettlesWhereItsSquaredGradientsDo) {
  const LinearProblem problem;
  const auto rows = static_cast<double>(problem.rows);
  const Matrix a = problem.Design().transpose() * problem.Design() / (problem.noise * rows);
  const Vector mean = problem.ExactMean();
  const Vector bias = problem.precision * mean / rows;  // −(A m − c) at the exact mean
  Vector want = problem.ExactPrecision().diagonal();
  for (int i = 0; i < 1000; ++i) {
    const Vector squares = bias.cwiseAbs2() + a.cwiseAbs2() * want.cwiseInverse();
    want = (0.5 * want.array() + 0.5 * (rows * squares.array() + problem.precision)).matrix();
  }
  const Settled got =
      Settle(problem.Config("vadam", {{"alpha", 0.002}, {"beta2", 0.999}}), problem.batch, 40000);
  EXPECT_LT(LargestInDeviations(got.mean, mean, want), 0.05);
  EXPECT_LT(LargestRelative(got.precision, want), 0.03);
  EXPECT_LT(want.cwiseQuotient(problem.ExactPrecision().diagonal()).maxCoeff(), 0.5);
}

TEST(Vadam, FirstStepIsItsFormula) {
  const LinearProblem problem;
  const LearnerConfig config =
      problem.Config("vadam", {{"alpha", 0.3}, {"beta1", 0.8}, {"beta2", 0.9}});
  const Settled got = Settle(config, problem.batch, 1);
  Vector z(problem.size());
  FillNormal(Stream{config.seed, 0, 0x0100'0000}, z);
  const auto rows = static_cast<double>(problem.rows);
  const Vector theta = z / std::sqrt(problem.precision);
  const Vector g = problem.Design().transpose() *
                   (problem.Design() * theta - problem.batch.targets.transpose()) /
                   (problem.noise * rows);
  const auto& q = std::get<DiagonalGaussian>(BeliefOf(got.state).posterior);
  for (Index j = 0; j < problem.size(); ++j) {
    EXPECT_NEAR(q.mean[j], -0.3 * g[j] / (std::abs(g[j]) + problem.precision / rows), 1e-12);
    EXPECT_NEAR(q.precision[j], rows * 0.1 * g[j] * g[j] + problem.precision, 1e-9);
  }
}

}  // namespace
}  // namespace prequel::vogn_test
