// What must hold for every combination of model, likelihood, posterior and rule.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/learner.h"
#include "tests/core/rules_under_test.h"
#include "tests/core/streams.h"

namespace prequel {
namespace {

constexpr Index kInputs = 3;

struct Combination {
  std::string model, likelihood, posterior;
  RuleUnderTest rule;
};

std::string NameOfCombination(const testing::TestParamInfo<Combination>& info) {
  const Combination& c = info.param;
  return c.model + "_" + c.likelihood + "_" + c.posterior + "_" + c.rule.name;
}

std::vector<Combination> AllCombinations() {
  std::vector<Combination> all;
  for (const RuleUnderTest& rule : RulesUnderTest()) {
    for (const char* model : {"linear", "mlp"}) {
      for (const char* likelihood : {"gaussian", "bernoulli", "categorical", "poisson"}) {
        if (!rule.model.empty() && rule.model != model) continue;
        if (!rule.likelihood.empty() && rule.likelihood != likelihood) continue;
        for (const std::string& posterior : rule.posteriors) {
          all.push_back({model, likelihood, posterior, rule});
        }
      }
    }
  }
  return all;
}

LearnerConfig ConfigFor(const Combination& c) {
  LearnerConfig config = PlainConfig(kInputs, c.likelihood);
  if (c.likelihood == "categorical") config.target.num_classes = 3;
  config.standardize_inputs = Standardize::kDefault;
  config.standardize_targets = Standardize::kDefault;
  config.model.name = c.model;
  if (c.model == "mlp") config.model.options["hidden"] = std::vector<double>{5, 4};
  config.posterior.name = c.posterior;
  config.rule = c.rule.rule;
  return config;
}

class EveryLearner : public testing::TestWithParam<Combination> {
 protected:
  EveryLearner() : learner_(*Learner::Create(ConfigFor(GetParam()))) {}

  Batch BatchAt(std::uint64_t step, Index rows = 16) const {
    return BatchFor(GetParam().likelihood, kInputs, rows, step);
  }

  // Folds `count` minibatches, from `first` on.
  LearnerState FoldFrom(LearnerState state, std::uint64_t first, std::uint64_t count) {
    LearnerState next;
    for (std::uint64_t t = first; t < first + count; ++t) {
      const absl::StatusOr<Learned> learned = learner_.Update(state, BatchAt(t), scratch_, next);
      EXPECT_TRUE(learned.ok()) << "step " << t << ": " << learned.status();
      std::swap(state, next);
    }
    return state;
  }

  Learner learner_;
  Scratch scratch_;
};

TEST_P(EveryLearner, LearnsBetterThanThePrior) {
  LearnerState state = FoldFrom(learner_.Initial(), 0, 30);
  const double early = state.evaluation.cumulative.nll / state.evaluation.cumulative.weight;
  const LearnerState later = FoldFrom(state, 30, 30);
  const double late = (later.evaluation.cumulative.nll - state.evaluation.cumulative.nll) /
                      (later.evaluation.cumulative.weight - state.evaluation.cumulative.weight);
  EXPECT_LT(late, early + 0.02);
  EXPECT_EQ(later.revision, 60);
  EXPECT_EQ(later.examples, 60 * 16);
}

TEST_P(EveryLearner, IsTheSameFoldTwice) {
  const LearnerState once = FoldFrom(learner_.Initial(), 0, 12);
  Scratch fresh;
  std::swap(scratch_, fresh);
  const LearnerState again = FoldFrom(learner_.Initial(), 0, 12);
  EXPECT_EQ(learner_.EncodeState(once), learner_.EncodeState(again));
}

TEST_P(EveryLearner, RestartsBitIdentically) {
  const LearnerState half = FoldFrom(learner_.Initial(), 0, 6);
  const absl::StatusOr<LearnerState> restored = learner_.DecodeState(learner_.EncodeState(half));
  ASSERT_TRUE(restored.ok()) << restored.status();
  EXPECT_EQ(learner_.EncodeState(*restored), learner_.EncodeState(half));
  const LearnerState straight = FoldFrom(half, 6, 6);
  const LearnerState resumed = FoldFrom(*restored, 6, 6);
  EXPECT_EQ(learner_.EncodeState(straight), learner_.EncodeState(resumed));
}

TEST_P(EveryLearner, PredictsWhatItWillBeScoredBy) {
  const LearnerState state = FoldFrom(learner_.Initial(), 0, 10);
  const Batch batch = BatchAt(10);
  const absl::StatusOr<Predictions> asked =
      learner_.Predict(state, batch, PredictOptions{}, scratch_);
  ASSERT_TRUE(asked.ok()) << asked.status();
  LearnerState next;
  Predictions told;
  const PredictOptions options;
  const absl::StatusOr<Learned> learned =
      learner_.Update(state, batch, scratch_, next, &options, &told);
  ASSERT_TRUE(learned.ok()) << learned.status();
  EXPECT_EQ(asked->probabilities, told.probabilities);
  EXPECT_EQ(asked->mean, told.mean);
  EXPECT_EQ(asked->quantiles, told.quantiles);
  if (GetParam().likelihood == "bernoulli" || GetParam().likelihood == "categorical") {
    double nll = 0;
    for (Index i = 0; i < batch.targets.cols(); ++i) {
      nll -= std::log(asked->probabilities(static_cast<Index>(batch.targets(0, i)), i));
    }
    EXPECT_NEAR(learned->scores.nll, nll / 16, 1e-8);
  } else {
    EXPECT_NEAR(*learned->scores.rmse, std::sqrt((asked->mean - batch.targets).squaredNorm() / 16),
                1e-8);
  }
}

TEST_P(EveryLearner, TakesOneRowAndManyRows) {
  LearnerState state = learner_.Initial(), next;
  for (const Index rows : {1, 1, 2, 1, 300, 1, 40}) {
    const absl::StatusOr<Learned> learned =
        learner_.Update(state, BatchAt(static_cast<std::uint64_t>(rows), rows), scratch_, next);
    ASSERT_TRUE(learned.ok()) << rows << " rows: " << learned.status();
    std::swap(state, next);
  }
  EXPECT_EQ(state.examples, 346);
}

TEST_P(EveryLearner, StaysFiniteOnExtremeInputs) {
  LearnerState state = FoldFrom(learner_.Initial(), 0, 5), next;
  Batch batch = BatchAt(5);
  batch.inputs.col(0).setConstant(1e8);
  batch.inputs.col(1).setConstant(-1e12);
  ASSERT_TRUE(learner_.CheckBatch(batch).ok());
  const std::string before = learner_.EncodeState(state);
  const absl::StatusOr<Learned> learned = learner_.Update(state, batch, scratch_, next);
  if (learned.ok()) {  // otherwise refused, with the state as it was
    EXPECT_TRUE(std::visit([](const auto& q) { return q.IsFinite(); }, next.posterior));
  }
  EXPECT_EQ(learner_.EncodeState(state), before);
}

INSTANTIATE_TEST_SUITE_P(All, EveryLearner, testing::ValuesIn(AllCombinations()),
                         NameOfCombination);

}  // namespace
}  // namespace prequel
