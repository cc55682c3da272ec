// Counts through the whole fold: the dispersion that is learned, and inputs far from all others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>

#include "core/learner/learner.h"
#include "tests/core/ask.h"
#include "tests/core/belief_of.h"
#include "tests/core/streams.h"

namespace prequel::counts_test {
namespace {

// Mean e^{1.5 + 0.3 x₁}, variance λ + α λ²; every `far`-th row with inputs a hundred times as
// large.
Batch CountBatch(std::mt19937_64& random, double dispersion, Index far = 0) {
  constexpr Index kRows = 64;
  std::normal_distribution<double> normal;
  Batch batch;
  batch.inputs.resize(3, kRows);
  batch.targets.resize(1, kRows);
  for (Index i = 0; i < kRows; ++i) {
    for (Index j = 0; j < 3; ++j) batch.inputs(j, i) = normal(random);
    double rate = std::exp(1.5 + 0.3 * batch.inputs(0, i));
    if (dispersion > 0) rate *= std::gamma_distribution<double>(1 / dispersion, dispersion)(random);
    batch.targets(0, i) =
        static_cast<double>(std::poisson_distribution<std::int64_t>(std::max(rate, 1e-12))(random));
    if (far > 0 && i % far == far - 1) batch.inputs.col(i) *= 100;
  }
  return batch;
}

double DispersionOf(LearnerState& state) {
  const NoiseState& noise = BeliefOf(state).noise;
  return noise.rate[0] / noise.shape[0];
}

struct Folding {
  Learner learner;
  LearnerState state, next;
  Scratch scratch;

  explicit Folding(const LearnerConfig& config)
      : learner(Learner::Create(config).value()), state(learner.Initial()) {}

  void Learn(const Batch& batch) {
    const auto learned = learner.Update(state, batch, scratch, next);
    ASSERT_TRUE(learned.ok()) << learned.status();
    std::swap(state, next);
  }
};

TEST(CountsTest, TheDispersionIsRecovered) {
  for (const double dispersion : {0.1, 2.0}) {
    std::mt19937_64 random(5);
    Folding run(PlainConfig(3, "negative_binomial"));
    for (int b = 0; b < 64; ++b) run.Learn(CountBatch(random, dispersion));
    EXPECT_NEAR(std::log(DispersionOf(run.state) / dispersion), 0, 0.2) << dispersion;
  }
}

// By rules that step, and posteriors that are not full, too; and with none, by the mean alone.
TEST(CountsTest, TheDispersionIsRecoveredByOtherRules) {
  using Word = std::string;
  for (const auto& [rule, posterior] :
       {std::pair<Word, Word>{"rvga", "diagonal"}, {"lofi", "low_rank"}, {"von", "full"}}) {
    std::mt19937_64 random(5);
    LearnerConfig config = PlainConfig(3, "negative_binomial");
    config.rule.name = rule;
    config.posterior.name = posterior;
    Folding run(config);
    for (int b = 0; b < 40; ++b) run.Learn(CountBatch(random, 0.5));
    EXPECT_NEAR(std::log(DispersionOf(run.state) / 0.5), 0, 0.25) << rule;
  }
}

TEST(CountsTest, AGivenDispersionStays) {
  LearnerConfig config = PlainConfig(3, "negative_binomial");
  config.likelihood.options["dispersion"] = 1.0;
  std::mt19937_64 random(5);
  Folding run(config);
  for (int b = 0; b < 3; ++b) run.Learn(CountBatch(random, 0.1));
  EXPECT_EQ(BeliefOf(run.state).noise.shape.size(), 0);
}

// What was learned of counts is in the bytes, so that a restart goes on by the same bits.
TEST(CountsTest, ARestartLosesNothing) {
  std::mt19937_64 random(6);
  Folding run(PlainConfig(3, "negative_binomial")), again(PlainConfig(3, "negative_binomial"));
  for (int b = 0; b < 5; ++b) run.Learn(CountBatch(random, 0.5));
  again.state = again.learner.DecodeState(run.learner.EncodeState(run.state)).value();
  EXPECT_EQ(again.state.targets.largest, run.state.targets.largest);
  EXPECT_GT(run.state.targets.largest[0], 1);
  const Batch batch = CountBatch(random, 0.5);
  run.Learn(batch);
  again.Learn(batch);
  EXPECT_EQ(run.learner.EncodeState(run.state), again.learner.EncodeState(again.state));
}

TEST(CountsTest, UnsoundLargestCountsAreDataLoss) {
  Folding run(PlainConfig(3, "poisson"));
  const Vector least = Vector::Constant(1, -2), more = Vector::Constant(2, 5);
  const Vector nan = Vector::Constant(1, std::numeric_limits<double>::quiet_NaN());
  const Vector infinite = Vector::Constant(1, std::numeric_limits<double>::infinity());
  for (const Vector& wrong : {least, nan, more, infinite}) {
    LearnerState state = run.state;
    state.targets.largest = wrong;
    const absl::Status status = run.learner.DecodeState(run.learner.EncodeState(state)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << wrong.transpose();
  }
}

TEST(CountsTest, RowsFarFromAllOthersGiveNoAbsurdAnswers) {
  for (const std::string likelihood : {"poisson", "negative_binomial"}) {
    std::mt19937_64 random(9);
    LearnerConfig config = PlainConfig(3, likelihood);
    config.calibration.name = "online";
    Folding run(config);
    run.Learn(CountBatch(random, 0.3));
    for (int b = 0; b < 200; ++b) {
      const Batch batch = CountBatch(random, 0.3, 16);
      const Answer raw = Ask(run.learner, run.state, batch, run.scratch, {.raw = true}).value();
      const Answer served = Ask(run.learner, run.state, batch, run.scratch).value();
      const double most = 2 * (run.state.targets.largest[0] + 1) * (1 + 1e-9);
      ASSERT_LE(raw["mean"].maxCoeff(), most);
      ASSERT_LE(served["mean"].maxCoeff(), MeanFactor(run.state.calibration.balance, 0) * most);
      run.Learn(batch);
    }
    const Scores scores = run.state.evaluation.cumulative.Average();
    EXPECT_LT(scores["nll"], 8) << likelihood;
    EXPECT_LT(scores["rmse"], run.state.targets.largest[0]) << likelihood;
  }
}

}  // namespace
}  // namespace prequel::counts_test
