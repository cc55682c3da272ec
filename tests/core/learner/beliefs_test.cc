// A model of several beliefs: a mixture that is scored, asked, stored and weighed as one.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/config/field_error.h"
#include "core/learner/belief.h"
#include "core/learner/learner.h"
#include "tests/core/ask.h"
#include "tests/core/belief_of.h"
#include "tests/core/streams.h"

namespace prequel::beliefs_test {
namespace {

constexpr Index kInputs = 3;

struct Case {
  std::string likelihood, posterior, rule, storage = "float64";
};

LearnerConfig ConfigOf(const Case& c, double precision) {
  LearnerConfig config = PlainConfig(kInputs, c.likelihood);
  if (c.likelihood == "categorical") config.target.num_classes = 3;
  config.posterior.name = c.posterior;
  if (c.storage != "float64") config.posterior.options["storage"] = c.storage;
  config.rule.name = c.rule;
  config.prior.options["precision"] = precision;
  return config;
}

// One learner whose state holds the beliefs of two: those of a wide and of a narrow prior.
class Beliefs : public testing::TestWithParam<Case> {
 protected:
  Beliefs()
      : wide_(*Learner::Create(ConfigOf(GetParam(), 0.5))),
        narrow_(*Learner::Create(ConfigOf(GetParam(), 20))) {}

  LearnerState Both(double weight_of_wide) const {
    LearnerState state = wide_.Initial();
    state.beliefs.push_back(BeliefOf(narrow_.Initial()));
    state.beliefs[0].log_weight = std::log(weight_of_wide);
    state.beliefs[1].log_weight = std::log(1 - weight_of_wide);
    return state;
  }
  static Batch BatchAt(std::uint64_t step) {
    return BatchFor(GetParam().likelihood, kInputs, 6, step);
  }

  LearnerState Fold(const Learner& learner, LearnerState state, std::uint64_t steps) {
    LearnerState next;
    for (std::uint64_t t = 0; t < steps; ++t) {
      const absl::StatusOr<Learned> learned = learner.Update(state, BatchAt(t), scratch_, next);
      EXPECT_TRUE(learned.ok()) << learned.status();
      std::swap(state, next);
    }
    return state;
  }

  Learner wide_, narrow_;
  Scratch scratch_;
};

std::string Bytes(const Learner& learner, const Belief& belief) {
  LearnerState state = learner.Initial();
  state.beliefs = {belief};
  state.beliefs[0].log_weight = 0;
  return learner.EncodeState(state);
}

// Each belief learns what it would learn alone, and by Bayes' rule the weights go with the
// likelihoods of what was predicted.
TEST_P(Beliefs, LearnAsTheyWouldAloneAndAreWeighedByWhatTheyPredicted) {
  constexpr std::uint64_t kSteps = 4;
  LearnerState both = Both(0.25), wide = wide_.Initial(), narrow = narrow_.Initial(), next;
  double log_odds = std::log(0.25 / 0.75);
  for (std::uint64_t t = 0; t < kSteps; ++t) {
    const Batch batch = BatchAt(t);
    const double weight = std::exp(both.beliefs[0].log_weight);
    const double rows = static_cast<double>(batch.rows());
    const absl::StatusOr<Learned> mixed = wide_.Update(both, batch, scratch_, next);
    ASSERT_TRUE(mixed.ok()) << mixed.status();
    std::swap(both, next);
    const double of_wide = wide_.Update(wide, batch, scratch_, next)->scores["nll"];
    std::swap(wide, next);
    const double of_narrow = narrow_.Update(narrow, batch, scratch_, next)->scores["nll"];
    std::swap(narrow, next);
    log_odds += rows * (of_narrow - of_wide);
    EXPECT_NEAR(both.beliefs[0].log_weight - both.beliefs[1].log_weight, log_odds, 1e-9);
    EXPECT_NEAR(std::exp(both.beliefs[0].log_weight) + std::exp(both.beliefs[1].log_weight), 1,
                1e-12);
    // A mixture loses to neither by more than its weight allows, by the mean of logs.
    EXPECT_LE(mixed->scores["nll"], of_wide - std::log(weight) + 1e-12);
    EXPECT_LE(mixed->scores["nll"], weight * of_wide + (1 - weight) * of_narrow + 1e-12);
  }
  EXPECT_EQ(Bytes(wide_, both.beliefs[0]), Bytes(wide_, BeliefOf(wide)));
  EXPECT_EQ(Bytes(narrow_, both.beliefs[1]), Bytes(narrow_, BeliefOf(narrow)));
}

// Weights such that moments leave out neither.
TEST_P(Beliefs, PredictTheWeightedMixture) {
  LearnerState both = Fold(wide_, Both(0.3), 2);
  both.beliefs[0].log_weight = std::log(0.3);
  both.beliefs[1].log_weight = std::log(0.7);
  LearnerState alone[2] = {both, both};
  alone[0].beliefs = {both.beliefs[0]};
  alone[1].beliefs = {both.beliefs[1]};
  alone[0].beliefs[0].log_weight = alone[1].beliefs[0].log_weight = 0;
  const double w[2] = {std::exp(both.beliefs[0].log_weight), std::exp(both.beliefs[1].log_weight)};
  for (const int samples : {0, 200}) {
    const PredictOptions options{.samples = samples};
    const Batch batch = BatchAt(9);
    const absl::StatusOr<Answer> got = Ask(wide_, both, batch, scratch_, options);
    const absl::StatusOr<Answer> first = Ask(wide_, alone[0], batch, scratch_, options);
    const absl::StatusOr<Answer> second = Ask(wide_, alone[1], batch, scratch_, options);
    ASSERT_TRUE(got.ok() && first.ok() && second.ok()) << got.status();
    if (got->Find("probabilities") != nullptr) {
      const Matrix want = w[0] * (*first)["probabilities"] + w[1] * (*second)["probabilities"];
      EXPECT_LT(((*got)["probabilities"] - want).cwiseAbs().maxCoeff(), 1e-12);
      const Matrix aleatoric =
          w[0] * (*first)["aleatoric_entropy"] + w[1] * (*second)["aleatoric_entropy"];
      EXPECT_LT(((*got)["aleatoric_entropy"] - aleatoric).cwiseAbs().maxCoeff(), 1e-12);
    } else {
      const Matrix mean = w[0] * (*first)["mean"] + w[1] * (*second)["mean"];
      EXPECT_LT(((*got)["mean"] - mean).cwiseAbs().maxCoeff(), 1e-12);
      const Matrix aleatoric =
          w[0] * (*first)["aleatoric_variance"] + w[1] * (*second)["aleatoric_variance"];
      EXPECT_LT(((*got)["aleatoric_variance"] - aleatoric).cwiseAbs().maxCoeff(), 1e-9);
      const Matrix between = w[0] * w[1] * ((*first)["mean"] - (*second)["mean"]).cwiseAbs2();
      const Matrix epistemic =
          w[0] * (*first)["epistemic_variance"] + w[1] * (*second)["epistemic_variance"] + between;
      EXPECT_LT(((*got)["epistemic_variance"] - epistemic).cwiseAbs().maxCoeff(), 1e-9);
    }
  }
}

// An answer before learning is that of Predict.
TEST_P(Beliefs, AreAskedAsTheyAreScored) {
  const LearnerState both = Fold(wide_, Both(0.3), 2);
  const Batch batch = BatchAt(2);
  const QuerySet queries = *wide_.Ask({});
  const absl::StatusOr<Answer> asked = wide_.Predict(both, batch, queries, scratch_);
  LearnerState next;
  Answer told;
  ASSERT_TRUE(asked.ok());
  ASSERT_TRUE(wide_.Update(both, batch, scratch_, next, &queries, &told).ok());
  for (const Output& output : asked->outputs) EXPECT_EQ(output.values, told[output.name]);
}

TEST_P(Beliefs, SurviveARestart) {
  const LearnerState both = Fold(wide_, Both(0.4), 3);
  const std::string bytes = wide_.EncodeState(both);
  const absl::StatusOr<LearnerState> read = wide_.DecodeState(bytes);
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->beliefs.size(), 2u);
  EXPECT_EQ(wide_.EncodeState(*read), bytes);
  EXPECT_EQ(wide_.EncodeState(Fold(wide_, *read, 2)), wide_.EncodeState(Fold(wide_, both, 2)));
}

TEST_P(Beliefs, OfWeightsThatDoNotSumToOneAreRefused) {
  LearnerState both = Both(0.4);
  both.beliefs[0].log_weight += 0.01;
  EXPECT_EQ(wide_.DecodeState(wide_.EncodeState(both)).status().code(),
            absl::StatusCode::kDataLoss);
  both.beliefs.clear();
  EXPECT_EQ(wide_.DecodeState(wide_.EncodeState(both)).status().code(),
            absl::StatusCode::kDataLoss);
}

INSTANTIATE_TEST_SUITE_P(
    All, Beliefs,
    testing::Values(Case{"gaussian", "full", "rvga"}, Case{"bernoulli", "full", "rvga"},
                    Case{"categorical", "full", "rvga"}, Case{"poisson", "diagonal", "rvga"},
                    Case{"gaussian", "diagonal", "ivon"}, Case{"bernoulli", "low_rank", "lofi"},
                    Case{"bernoulli", "diagonal", "ivon", "float32"}),
    [](const auto& test) {
      const Case& c = test.param;
      return c.likelihood + "_" + c.posterior + "_" + c.rule + "_" + c.storage;
    });

// By draws, everything that is held at once is bounded before anything is logged.
TEST(PredictThenLearn, WhatTakesTooMuchMemoryIsRefusedBefore) {
  LearnerConfig config = PlainConfig(kInputs, "categorical");
  config.target.num_classes = 30;
  const Learner classes = *Learner::Create(config);
  const QuerySet many = *classes.Ask({.samples = 10000, .queries = {}});
  EXPECT_TRUE(classes.CheckAnswer(200, many).ok());
  EXPECT_EQ(FieldOf(classes.CheckAnswer(256, many)), "options.samples");
  EXPECT_EQ(FieldOf(classes.CheckAnswer(1 << 21, *classes.Ask({}))), "batch.inputs.shape");
  EXPECT_TRUE(classes.CheckRoom(1 << 21).ok()) << "nothing is drawn";

  config = PlainConfig(kInputs, "bernoulli");
  config.posterior.name = "diagonal";
  config.rule = {"ivon",
                 {{"predictive", std::string("monte_carlo")}, {"predictive_samples", 10000.0}}};
  const absl::StatusOr<Learner> drawn = Learner::Create(config);
  ASSERT_TRUE(drawn.ok()) << drawn.status();
  EXPECT_TRUE(drawn->CheckRoom(6000).ok());
  EXPECT_EQ(FieldOf(drawn->CheckRoom(7000)), "batch.inputs.shape");
}

// Rows whose target is missing are answered too, and nothing else changes.
TEST(PredictThenLearn, AnswersRowsWithoutATarget) {
  LearnerConfig config = PlainConfig(kInputs, "gaussian");
  config.target.allow_missing = true;
  const Learner learner = *Learner::Create(config);
  Scratch scratch;
  LearnerState state, with, without;
  ASSERT_TRUE(learner.Update(learner.Initial(), LinearBatch(kInputs, 20, 0), scratch, state).ok());
  Batch batch = LinearBatch(kInputs, 5, 1);
  const QuerySet queries = *learner.Ask({});
  const absl::StatusOr<Answer> asked = learner.Predict(state, batch, queries, scratch);
  batch.targets(0, 1) = batch.targets(0, 4) = std::nan("");
  Answer told;
  const absl::StatusOr<Learned> learned =
      learner.Update(state, batch, scratch, with, &queries, &told);
  ASSERT_TRUE(learned.ok() && asked.ok()) << learned.status();
  EXPECT_EQ(told["mean"], (*asked)["mean"]);
  EXPECT_EQ(learned->report.rows, 3);
  EXPECT_EQ(learned->report.skipped_rows, 2);
  double square = 0;
  for (const Index i : {0, 2, 3}) {
    square += std::pow((*asked)["mean"](0, i) - batch.targets(0, i), 2) / 3;
  }
  EXPECT_NEAR(learned->scores["rmse"], std::sqrt(square), 1e-12);
  ASSERT_TRUE(learner.Update(state, batch, scratch, without).ok());
  EXPECT_EQ(learner.EncodeState(with), learner.EncodeState(without));
}

}  // namespace
}  // namespace prequel::beliefs_test
