// Rows whose inputs are not all known, or lie far beyond those that were learned.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/learner/learner.h"
#include "tests/core/ask.h"
#include "tests/core/belief_of.h"
#include "tests/core/fold_once.h"
#include "tests/core/streams.h"

namespace prequel::doubting_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

LearnerConfig ConfigOf(const std::string& likelihood, const std::string& dynamics) {
  LearnerConfig config = PlainConfig(2, likelihood);
  config.features[0].allow_missing = true;
  config.posterior.name = "full";
  config.dynamics.name = dynamics;
  return config;
}

LearnerState Fold(const Learner& learner, const std::string& likelihood) {
  LearnerState state = learner.Initial();
  for (std::uint64_t t = 0; t < 5; ++t) {
    state = FoldOnce(learner, state, BatchFor(likelihood, 2, 32, t));
  }
  return state;
}

// Three rows, of the second of which input 0 is missing.
Batch OneIsMissing(const std::string& likelihood) {
  Batch batch = BatchFor(likelihood, 2, 3, 99);
  batch.inputs(0, 1) = kNaN;
  return batch;
}

double VarianceOfInput(const LearnerState& state) {
  const double deviation = state.inputs.moments.KnownScale(0);
  return deviation * deviation;
}

// Of the logits of all rows.
Matrix Numbers(const Learner& learner, const LearnerState& state, const Batch& batch,
               const char* name) {
  Scratch scratch;
  return Ask(learner, state, batch, scratch, {.queries = {{"logits", {}}}}).value()[name];
}

// What a state says that takes each input to be its mean wherever it is missing.
LearnerState Sure(LearnerState state) {
  state.inputs.moments.m2.setZero();
  return state;
}

class Doubts : public testing::TestWithParam<std::pair<const char*, const char*>> {};

// w² Var(x) in units of the targets, whatever units the belief is in.
TEST_P(Doubts, AMissingInputAddsTheVarianceOfItsTerm) {
  const auto [likelihood, dynamics] = GetParam();
  const Learner learner = Learner::Create(ConfigOf(likelihood, dynamics)).value();
  const LearnerState state = Fold(learner, likelihood);
  const Batch batch = OneIsMissing(likelihood);
  const Matrix doubted = Numbers(learner, state, batch, "logit_covariance");
  const Matrix sure = Numbers(learner, Sure(state), batch, "logit_covariance");
  const Vector& weights = MeanOf(BeliefOf(state).posterior);
  const double pull = weights[0];
  ASSERT_GT(std::abs(pull), 0.01);
  EXPECT_NEAR(doubted(0, 1) - sure(0, 1), pull * pull * VarianceOfInput(state), 1e-12);
  EXPECT_EQ(doubted(0, 0), sure(0, 0));
  EXPECT_EQ(doubted(0, 2), sure(0, 2));
  EXPECT_EQ(Numbers(learner, state, batch, "logit_mean"),
            Numbers(learner, Sure(state), batch, "logit_mean"));
}

// At once, in turn, in steps of a network's beliefs; with noise that is learned, and classes.
INSTANTIATE_TEST_SUITE_P(Kinds, Doubts,
                         testing::Values(std::pair("gaussian", "static"),
                                         std::pair("gaussian", "inflation"),
                                         std::pair("bernoulli", "static"),
                                         std::pair("bernoulli", "inflation"),
                                         std::pair("poisson", "static")));

// By the slope at the mean, where the input is missing.
TEST(DoubtsOfNetworks, AreLinearised) {
  for (const std::string dynamics : {"static", "inflation"}) {
    LearnerConfig config = ConfigOf("gaussian", dynamics);
    config.model = {"mlp", {{"hidden", std::vector<double>{5}}}};
    config.prior.options.clear();
    const Learner learner = Learner::Create(config).value();
    const LearnerState state = Fold(learner, "gaussian");
    const Batch batch = OneIsMissing("gaussian");
    const LearnerState sure = Sure(state);
    const auto at = [&](double mean) {
      LearnerState moved = sure;
      moved.inputs.moments.mean[0] = mean;
      return Numbers(learner, moved, batch, "logit_mean")(0, 1);
    };
    constexpr double kStep = 1e-5;
    const double mean = state.inputs.moments.mean[0];
    const double slope = (at(mean + kStep) - at(mean - kStep)) / (2 * kStep);
    ASSERT_GT(std::abs(slope), 0.01);
    const double added = Numbers(learner, state, batch, "logit_covariance")(0, 1) -
                         Numbers(learner, sure, batch, "logit_covariance")(0, 1);
    EXPECT_NEAR(added / (slope * slope * VarianceOfInput(state)), 1, 1e-6) << dynamics;
  }
}

// x, with what says that it is missing, and 1.
Vector Design(const LearnerState& state, const Batch& batch, Index row) {
  Vector x(5);
  x << batch.inputs.col(row), 0, 0, 1;
  if (std::isnan(x[0])) {
    x[0] = state.inputs.moments.mean[0];
    x[2] = 1;
  }
  return x;
}

// A row of which an input is missing is learned as one with the noise R + w² Var(x): by Bayes' rule
// for linear models, with noise that is known.
TEST(Doubts, AreNoiseOfTheRow) {
  constexpr double kNoise = 0.25;
  for (const std::string dynamics : {"static", "inflation"}) {
    SCOPED_TRACE(dynamics);
    LearnerConfig config = ConfigOf("gaussian", dynamics);
    config.likelihood.options["noise"] = kNoise;
    if (dynamics == "inflation") config.dynamics.options["rate"] = 0.0;
    if (dynamics == "inflation") config.dynamics.options["intercept_rate"] = 1e-12;
    const Learner learner = Learner::Create(config).value();
    const LearnerState state = Fold(learner, "gaussian");
    Batch batch = OneIsMissing("gaussian");
    batch = RowsOf(batch, 1, 1);
    const LearnerState next = FoldOnce(learner, state, batch);
    const auto& prior = std::get<FullGaussian>(BeliefOf(state).posterior);
    const Matrix p = prior.covariance.selfadjointView<Eigen::Lower>();
    const Vector x = Design(next, batch, 0);
    const double noise = kNoise + prior.mean[0] * prior.mean[0] * VarianceOfInput(next);
    const Vector gain = p * x / (x.dot(p * x) + noise);
    const auto& q = std::get<FullGaussian>(BeliefOf(next).posterior);
    EXPECT_TRUE(
        q.mean.isApprox(prior.mean + gain * (batch.targets(0, 0) - x.dot(prior.mean)), 1e-9));
    const Matrix want = p - gain * (p * x).transpose();
    EXPECT_TRUE(Matrix(q.covariance.selfadjointView<Eigen::Lower>()).isApprox(want, 1e-9));
  }
}

// With noise that is learned, the row tells of it by the share of the noise in its variance.
TEST(Doubts, AreNotLearnedAsNoise) {
  const Learner learner = Learner::Create(ConfigOf("gaussian", "static")).value();
  LearnerState state = learner.Initial();
  for (std::uint64_t t = 0; t < 200; ++t) {
    Batch batch = LinearBatch(2, 32, t);
    for (Index i = 0; i < 16; ++i) batch.inputs(t % 2 == 0 ? 0 : 1, i) = kNaN;
    state = FoldOnce(learner, state, batch);
  }
  const NoiseState& noise = BeliefOf(state).noise;
  EXPECT_NEAR(std::sqrt(noise.rate[0] / noise.shape[0]), 0.5, 0.05) << "the noise of the stream";
  EXPECT_EQ(noise.shape[0], learner.Initial().beliefs[0].noise.shape[0] + 200 * 32 / 2);
}

// Beyond the clip the answer is as unsure as the line is steep.
TEST(BeyondTheClip, AnswersWiden) {
  LearnerConfig config;
  config.features = {{.name = "x"}};
  config.likelihood.name = "gaussian";
  config.calibration.name = "none";
  const Learner learner = Learner::Create(config).value();
  LearnerState state = learner.Initial();
  for (std::uint64_t t = 0; t < 50; ++t) {
    Batch batch;
    batch.inputs = 1000 + Normals(1, 64, 5, t).array();
    batch.targets = 3 * (batch.inputs.array() - 1000) + 5 + 0.2 * Normals(1, 64, 6, t).array();
    state = FoldOnce(learner, state, batch);
  }
  Scratch scratch;
  Batch asked;
  asked.inputs.resize(1, 3);
  asked.inputs << 1004, 1008, 1100;
  const Answer answer = Ask(learner, state, asked, scratch).value();
  EXPECT_NEAR(answer["mean"](0, 0), 17, 0.5);
  EXPECT_LT(answer["epistemic_variance"](0, 0), 0.1);
  for (const Index i : {1, 2}) {
    const double line = 5 + 3 * (asked.inputs(0, i) - 1000);
    const double deviation = std::sqrt(answer["epistemic_variance"](0, i));
    EXPECT_NEAR((line - answer["mean"](0, i)) / deviation, 1, 0.1) << "a deviation away";
  }
}

// A row beyond the clip is learned as one that is held there, with noise for what was cut off: it
// moves nothing where the line goes on, nor where it does not.
TEST(BeyondTheClip, RowsMoveLittle) {
  for (const double target : {5 + 3 * 50.0, 5.0}) {
    LearnerConfig config = PlainConfig(1, "gaussian");
    config.standardize_inputs = Standardize::kRunning;
    const Learner learner = Learner::Create(config).value();
    LearnerState state = learner.Initial();
    const auto batch_of = [](std::uint64_t t) {
      Batch batch;
      batch.inputs = Normals(1, 64, 5, t);
      batch.targets = 3 * batch.inputs.array() + 5 + 0.2 * Normals(1, 64, 6, t).array();
      return batch;
    };
    for (std::uint64_t t = 0; t < 20; ++t) state = FoldOnce(learner, state, batch_of(t));
    Batch wild = RowsOf(batch_of(20), 0, 1);
    wild.inputs(0, 0) = 50;
    wild.targets(0, 0) = target;
    const LearnerState next = FoldOnce(learner, state, wild);
    const Batch asked = batch_of(21);
    EXPECT_LT(
        (Numbers(learner, next, asked, "logit_mean") - Numbers(learner, state, asked, "logit_mean"))
            .cwiseAbs()
            .maxCoeff(),
        0.02)
        << target;
  }
}

}  // namespace
}  // namespace prequel::doubting_test
