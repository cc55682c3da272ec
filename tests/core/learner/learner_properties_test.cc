// What must hold for every combination of model, likelihood, posterior and rule, and for all
// dynamics.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/learner/learner.h"
#include "tests/core/belief_of.h"
#include "tests/core/rules_under_test.h"
#include "tests/core/streams.h"

namespace prequel::learner_properties_test {
namespace {

constexpr Index kInputs = 3;

struct Combination {
  std::string model, likelihood, posterior;
  RuleUnderTest rule;
  std::string dynamics = "static";
};

std::string NameOfCombination(const testing::TestParamInfo<Combination>& info) {
  const Combination& c = info.param;
  return c.model + "_" + c.likelihood + "_" + c.posterior + "_" + c.rule.name +
         (c.dynamics == "static" ? "" : "_" + c.dynamics);
}

std::vector<Combination> AllCombinations() {
  std::vector<Combination> all;
  for (const RuleUnderTest& rule : RulesUnderTest()) {
    for (const char* model : {"linear", "mlp"}) {
      for (const std::string& likelihood : LikelihoodNames()) {
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

// Of all dynamics that move, with posteriors of each kind.
std::vector<Combination> MovingCombinations() {
  std::vector<Combination> all;
  const RuleUnderTest rvga{.name = "rvga", .rule = {"rvga", {}}};
  for (const char* dynamics : {"inflation", "adaptive", "forgetting", "ou", "restart"}) {
    for (const Combination& c : {Combination{"linear", "gaussian", "full", rvga},
                                 Combination{"linear", "categorical", "per_unit", rvga},
                                 Combination{"mlp", "bernoulli", "diagonal", rvga},
                                 Combination{"mlp", "poisson", "low_rank", rvga},
                                 Combination{"mlp", "gaussian", "subnetwork", rvga}}) {
      all.push_back(c);
      all.back().dynamics = dynamics;
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
  config.dynamics.name = c.dynamics;
  config.target.allow_missing = true;
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

// What it has learned of 20 minibatches, and goes on to learn, tells it more of the next 20 than
// one did. All are scored before they are learned, so these are not training errors.
// What moves forgets, and these data do not.
class StillLearner : public EveryLearner {};

TEST_P(StillLearner, ScoresBetterTheMoreItHasLearned) {
  const LearnerState little = FoldFrom(learner_.Initial(), 0, 1);
  const LearnerState half = FoldFrom(little, 1, 19);
  const LearnerState whole = FoldFrom(half, 20, 20);
  const auto total = [](const LearnerState& state) {
    return state.evaluation.cumulative.Average()["nll"] * state.evaluation.cumulative.weight();
  };
  const double informed = (total(whole) - total(half)) / (whole.evaluation.cumulative.weight() -
                                                          half.evaluation.cumulative.weight());
  double ignorant = 0;
  LearnerState next;
  for (std::uint64_t t = 20; t < 40; ++t) {
    const absl::StatusOr<Learned> learned = learner_.Update(little, BatchAt(t), scratch_, next);
    ASSERT_TRUE(learned.ok()) << learned.status();
    ignorant += learned->scores["nll"] / 20;
  }
  EXPECT_LT(informed, ignorant + 0.05);  // a network this small may have guessed well
  EXPECT_EQ(whole.revision, 40);
  EXPECT_EQ(whole.examples, 40 * 16);
}

// The same state comes of folding again, of fresh scratch, and of a restart half way.
TEST_P(EveryLearner, RestartsBitIdentically) {
  const LearnerState straight = FoldFrom(learner_.Initial(), 0, 8);
  scratch_ = Scratch();
  const std::string half = learner_.EncodeState(FoldFrom(learner_.Initial(), 0, 4));
  const absl::StatusOr<LearnerState> restored = learner_.DecodeState(half);
  ASSERT_TRUE(restored.ok()) << restored.status();
  EXPECT_EQ(learner_.EncodeState(*restored), half);
  scratch_ = Scratch();
  const LearnerState resumed = FoldFrom(*restored, 4, 4);
  EXPECT_EQ(learner_.EncodeState(resumed), learner_.EncodeState(straight));
}

TEST_P(EveryLearner, PredictsWhatItWillBeScoredBy) {
  const LearnerState state = FoldFrom(learner_.Initial(), 0, 3);
  // Each row of a query is the next, and those of a minibatch come in turn: where time passes
  // between them one row is both.
  const Batch batch = BatchAt(3, GetParam().dynamics == "static" ? 4 : 1);
  const QuerySet queries = *learner_.Ask({});
  const absl::StatusOr<Answer> asked = learner_.Predict(state, batch, queries, scratch_);
  ASSERT_TRUE(asked.ok()) << asked.status();
  LearnerState next;
  Answer told;
  const absl::StatusOr<Learned> learned =
      learner_.Update(state, batch, scratch_, next, &queries, &told);
  ASSERT_TRUE(learned.ok()) << learned.status();
  ASSERT_EQ(asked->outputs.size(), told.outputs.size());
  for (const Output& output : asked->outputs) EXPECT_EQ(output.values, told[output.name]);
  const auto rows = static_cast<double>(batch.rows());
  if (GetParam().likelihood == "bernoulli" || GetParam().likelihood == "categorical") {
    double nll = 0;
    for (Index i = 0; i < batch.targets.cols(); ++i) {
      nll -= std::log((*asked)["probabilities"](static_cast<Index>(batch.targets(0, i)), i));
    }
    EXPECT_NEAR(learned->scores["nll"], nll / rows, 1e-8);
  } else {
    EXPECT_NEAR(learned->scores["rmse"],
                std::sqrt(((*asked)["mean"] - batch.targets).squaredNorm() / rows), 1e-8);
  }
}

// What is learned does not depend on what is asked, not in one bit: the log knows no questions.
TEST_P(EveryLearner, LearnsTheSameWhateverIsAsked) {
  const LearnerState state = FoldFrom(learner_.Initial(), 0, 3);
  for (const bool missing : {false, true}) {
    Batch batch = BatchAt(3, 13);
    if (missing) batch.targets(0, 4) = batch.targets(0, 12) = std::nan("");
    LearnerState without;
    const absl::StatusOr<Learned> learned = learner_.Update(state, batch, scratch_, without);
    ASSERT_TRUE(learned.ok()) << learned.status();
    for (const int samples : {0, 3}) {
      const QuerySet queries = *learner_.Ask({.samples = samples, .queries = {}});
      LearnerState with;
      Answer told;
      ASSERT_TRUE(learner_.Update(state, batch, scratch_, with, &queries, &told).ok());
      EXPECT_EQ(told.outputs.front().values.cols(), 13);
      EXPECT_TRUE(learner_.EncodeState(with) == learner_.EncodeState(without))
          << samples << " samples" << (missing ? ", targets missing" : "");
    }
  }
}

// Fewer rows than weights and more.
TEST_P(EveryLearner, TakesOneRowAndManyRows) {
  LearnerState state = learner_.Initial(), next;
  for (const Index rows : {1, 2, 1, 64, 1}) {
    const absl::StatusOr<Learned> learned =
        learner_.Update(state, BatchAt(static_cast<std::uint64_t>(rows), rows), scratch_, next);
    ASSERT_TRUE(learned.ok()) << rows << " rows: " << learned.status();
    std::swap(state, next);
  }
  EXPECT_EQ(state.examples, 69);
}

TEST_P(EveryLearner, StaysFiniteOnExtremeInputs) {
  LearnerState state = FoldFrom(learner_.Initial(), 0, 3), next;
  Batch batch = BatchAt(3);
  batch.inputs.col(0).setConstant(1e8);
  batch.inputs.col(1).setConstant(-1e12);
  ASSERT_TRUE(learner_.CheckBatch(batch).ok());
  const std::string before = learner_.EncodeState(state);
  const absl::StatusOr<Learned> learned = learner_.Update(state, batch, scratch_, next);
  if (learned.ok()) {  // otherwise refused, with the state as it was
    EXPECT_TRUE(std::visit([](const auto& q) { return q.IsFinite(); }, BeliefOf(next).posterior));
  }
  EXPECT_EQ(learner_.EncodeState(state), before);
}

INSTANTIATE_TEST_SUITE_P(All, EveryLearner, testing::ValuesIn(AllCombinations()),
                         NameOfCombination);
INSTANTIATE_TEST_SUITE_P(All, StillLearner, testing::ValuesIn(AllCombinations()),
                         NameOfCombination);
INSTANTIATE_TEST_SUITE_P(Moving, EveryLearner, testing::ValuesIn(MovingCombinations()),
                         NameOfCombination);

}  // namespace
}  // namespace prequel::learner_properties_test
