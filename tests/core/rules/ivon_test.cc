// IVON against the mean-field optimum of linear-gaussian data, and its two modes.
#include "core/rules/ivon.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "core/learner/learner.h"
#include "tests/core/belief_of.h"
#include "tests/core/streams.h"

namespace prequel::ivon_test {
namespace {

constexpr Index kInputs = 4;
constexpr Index kRows = 50;
constexpr double kNoise = 0.25;
constexpr double kPrior = 2;

struct Optimum {
  Vector mean, precision;  // of the mean-field Gaussian: exact mean, diagonal of the precision
};

// Of `batch` under the prior N(0, I/kPrior).
Optimum MeanFieldOptimum(const Batch& batch) {
  Matrix x(batch.inputs.cols(), kInputs + 1);
  x.leftCols(kInputs) = batch.inputs.transpose();
  x.col(kInputs).setOnes();
  const Matrix precision =
      kPrior * Matrix::Identity(kInputs + 1, kInputs + 1) + x.transpose() * x / kNoise;
  return {precision.llt().solve(x.transpose() * batch.targets.transpose() / kNoise),
          precision.diagonal()};
}

LearnerConfig LinearConfig(std::map<std::string, OptionValue> options) {
  LearnerConfig config = PlainConfig(kInputs, "gaussian");
  config.likelihood.options["noise"] = kNoise;
  config.prior.options["precision"] = kPrior;
  config.rule = {"ivon", std::move(options)};
  return config;
}

std::map<std::string, OptionValue> Dataset(double size) {
  return {{"mode", std::string("dataset")}, {"dataset_size", size}};
}

// Averages of q over the second half of `steps` minibatches, `batch` every time.
Optimum AverageOver(const LearnerConfig& config, const Batch& batch, int steps) {
  const Learner learner = *Learner::Create(config);
  LearnerState state = learner.Initial(), next;
  Scratch scratch;
  Optimum average{Vector::Zero(kInputs + 1), Vector::Zero(kInputs + 1)};
  for (int t = 0; t < steps; ++t) {
    const absl::StatusOr<Learned> learned = learner.Update(state, batch, scratch, next);
    EXPECT_TRUE(learned.ok()) << learned.status();
    std::swap(state, next);
    if (t < steps / 2) continue;
    const auto& q = std::get<DiagonalGaussian>(BeliefOf(state).posterior);
    average.mean += q.mean / (steps - steps / 2);
    average.precision += q.precision / (steps - steps / 2);
  }
  return average;
}

TEST(Ivon, IsStationaryAtTheMeanFieldOptimum) {
  const Batch batch = LinearBatch(kInputs, kRows, 0);
  const Optimum want = MeanFieldOptimum(batch);
  std::map<std::string, OptionValue> options = Dataset(kRows);
  options.insert({{"alpha", 0.02}, {"beta2", 0.998}, {"initial_curvature", 1.0}, {"samples", 4.0}});
  const Optimum got = AverageOver(LinearConfig(options), batch, 20000);
  const Vector deviation = want.precision.cwiseSqrt().cwiseInverse();
  EXPECT_LT((got.mean - want.mean).cwiseQuotient(deviation).cwiseAbs().maxCoeff(), 0.02);
  EXPECT_LT((got.precision.cwiseQuotient(want.precision).array() - 1).abs().maxCoeff(), 0.01);
}

// N counts: the same minibatch as half of the data weighs twice.
TEST(Ivon, ScalesAMinibatchToTheDataSet) {
  const Batch batch = LinearBatch(kInputs, kRows, 0);
  Batch twice;
  twice.inputs.resize(kInputs, 2 * kRows);
  twice.targets.resize(1, 2 * kRows);
  twice.inputs << batch.inputs, batch.inputs;
  twice.targets << batch.targets, batch.targets;
  const Optimum want = MeanFieldOptimum(twice);
  std::map<std::string, OptionValue> options = Dataset(2 * kRows);
  options.insert({{"alpha", 0.02}, {"beta2", 0.998}, {"initial_curvature", 1.0}, {"samples", 4.0}});
  const Optimum got = AverageOver(LinearConfig(options), batch, 20000);
  EXPECT_LT((got.precision.cwiseQuotient(want.precision).array() - 1).abs().maxCoeff(), 0.015);
}

// In recursive mode every minibatch is new: precisions add, and the state keeps nothing but q.
TEST(Ivon, RecursiveModeAddsWhatEachMinibatchSays) {
  const Batch batch = LinearBatch(kInputs, kRows, 0);
  const LearnerConfig config = LinearConfig(
      {{"passes", 1000.0}, {"samples", 256.0}, {"alpha", 0.05}, {"beta2", 0.99}, {"beta1", 0.5}});
  const Learner learner = *Learner::Create(config);
  LearnerState first, second;
  Scratch scratch;
  ASSERT_TRUE(learner.Update(learner.Initial(), batch, scratch, first).ok());
  ASSERT_TRUE(learner.Update(first, batch, scratch, second).ok());
  const Optimum want = MeanFieldOptimum(batch);
  const auto& q = std::get<DiagonalGaussian>(BeliefOf(first).posterior);
  const Vector deviation = want.precision.cwiseSqrt().cwiseInverse();
  EXPECT_LT((q.mean - want.mean).cwiseQuotient(deviation).cwiseAbs().maxCoeff(), 0.1);
  EXPECT_LT((q.precision.cwiseQuotient(want.precision).array() - 1).abs().maxCoeff(), 0.03);
  const Vector twice = (2 * want.precision.array() - kPrior).matrix();
  const auto& r = std::get<DiagonalGaussian>(BeliefOf(second).posterior);
  EXPECT_LT((r.precision.cwiseQuotient(twice).array() - 1).abs().maxCoeff(), 0.03);
  EXPECT_EQ(StateOf<Ivon>(std::as_const(BeliefOf(second).rule)).steps, 0);
}

// One step by hand: h from h₀, the momentum's bias correction, the clipped step.
TEST(Ivon, FirstStepIsItsFormula) {
  const Batch batch = LinearBatch(kInputs, kRows, 0);
  std::map<std::string, OptionValue> options = Dataset(4.0 * kRows);
  options.insert({{"alpha", 0.3},
                  {"beta2", 0.7},
                  {"clip_radius", 0.05},
                  {"initial_curvature", 0.5},
                  {"effective_size", 100.0}});
  const LearnerConfig config = LinearConfig(options);
  const Learner learner = *Learner::Create(config);
  LearnerState next;
  Scratch scratch;
  ASSERT_TRUE(learner.Update(learner.Initial(), batch, scratch, next).ok());

  const double delta = kPrior / 100, h0 = 0.5;
  Vector z(kInputs + 1);
  FillNormal(Stream{config.seed, 0, 0x0100'0000}, z);
  const Vector epsilon = z / std::sqrt(100 * (h0 + delta));
  Matrix x(kInputs + 1, kRows);
  x.topRows(kInputs) = batch.inputs;
  x.row(kInputs).setOnes();
  const Vector gradient =
      x * (epsilon.transpose() * x - batch.targets).transpose() / (kNoise * kRows);
  const auto& q = std::get<DiagonalGaussian>(BeliefOf(next).posterior);
  for (Index j = 0; j <= kInputs; ++j) {
    const double f = 100 * (h0 + delta) * epsilon[j] * gradient[j];
    const double h = 0.7 * h0 + 0.3 * f + 0.5 * 0.3 * 0.3 * (h0 - f) * (h0 - f) / (h0 + delta);
    const double step = std::clamp(gradient[j] / (h + delta), -0.05, 0.05);
    EXPECT_NEAR(q.mean[j], -0.3 * (h0 + delta) * step, 1e-13);
    EXPECT_NEAR(q.precision[j], 100 * (h + delta), 1e-9);
  }
  EXPECT_NEAR(StateOf<Ivon>(std::as_const(BeliefOf(next).rule)).momentum[0], 0.1 * gradient[0],
              1e-13);
}

}  // namespace
}  // namespace prequel::ivon_test
