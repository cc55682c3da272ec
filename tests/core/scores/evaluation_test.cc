#include "core/scores/evaluation.h"

#include <cmath>
#include <utility>

#include "core/learner/learner.h"
#include "gtest/gtest.h"
#include "tests/core/belief_of.h"
#include "tests/core/streams.h"

namespace prequel::evaluation_test {
namespace {

// `weight` examples of nll 2 and squared error 9.
Tally OfWeight(double weight) {
  Tally tally;
  const double nll = 2 * weight, squares = 9 * weight;
  tally.RestoreWeight(weight);
  EXPECT_TRUE(tally.Restore("nll", weight, &nll, 1));
  EXPECT_TRUE(tally.Restore("rmse", weight, &squares, 1));
  return tally;
}

Tally Perfect(double weight) {
  Tally tally;
  const double none = 0;
  tally.RestoreWeight(weight);
  EXPECT_TRUE(tally.Restore("nll", weight, &none, 1));
  return tally;
}

Judgement Served(const Tally& tally) {
  Judgement judgement(tally.kind());
  judgement.served = tally;
  return judgement;
}

TEST(Evaluation, CumulativeIsASumAndWindowForgets) {
  Evaluation evaluation;
  for (int i = 0; i < 2000; ++i) evaluation.Absorb(Served(OfWeight(10)), 100);
  EXPECT_DOUBLE_EQ(evaluation.cumulative.weight(), 20000);
  EXPECT_EQ(evaluation.cumulative.Average()["rmse"], 3);
  EXPECT_NEAR(evaluation.window.weight(), 100, 1e-9);
  evaluation.Absorb(Served(Perfect(100)), 100);
  EXPECT_NEAR(evaluation.window.Average()["nll"], 2 * std::pow(0.99, 100), 1e-9);
}

TEST(Evaluation, TheWindowDoesNotDependOnHowABatchIsSplit) {
  Evaluation one, many;
  one.Absorb(Served(OfWeight(600)), 100);
  for (int i = 0; i < 600; ++i) many.Absorb(Served(OfWeight(1)), 100);
  EXPECT_NEAR(one.window.weight(), many.window.weight(), 1e-9);
  EXPECT_NEAR(one.window.Average()["nll"], many.window.Average()["nll"], 1e-9);
}

TEST(Evaluation, TheWindowIsExponential) {
  Evaluation evaluation;
  evaluation.Absorb(Served(OfWeight(1)), 4);
  evaluation.Absorb(Served(OfWeight(1)), 4);
  EXPECT_NEAR(evaluation.window.weight(), 1 + 0.75, 1e-15);
}

TEST(Evaluation, ShortestWindowHoldsTheLastExample) {
  Evaluation evaluation;
  evaluation.Absorb(Served(OfWeight(1)), 1);
  evaluation.Absorb(Served(Perfect(1)), 1);
  EXPECT_EQ(evaluation.window.weight(), 1);
  EXPECT_EQ(evaluation.window.Average()["nll"], 0);
}

TEST(Evaluation, ComparesOnTheSameRowsAndLeavesOutWhatIsNoNumber) {
  Evaluation evaluation;
  Judgement judgement = Served(OfWeight(4));
  judgement.last = OfWeight(4);
  judgement.average = Perfect(4);
  evaluation.Absorb(judgement, 10);
  EXPECT_EQ(evaluation.last.window.weight(), evaluation.window.weight());
  EXPECT_EQ(evaluation.last.cumulative.Average()["nll"], 2);
  EXPECT_EQ(evaluation.average.cumulative.Average()["nll"], 0);
  EXPECT_EQ(evaluation.raw.cumulative.weight(), 0);
  const double no_number = NAN;
  ASSERT_TRUE(judgement.last.Restore("nll", 4, &no_number, 1));
  evaluation.Absorb(judgement, 10);
  EXPECT_EQ(evaluation.last.cumulative.weight(), 4);
  EXPECT_EQ(evaluation.average.cumulative.weight(), 8);
}

TEST(Evaluation, SkillIsToBeBetterThanTheLastTarget) {
  Evaluation evaluation;
  Judgement judgement = Served(OfWeight(90));  // nll 2
  judgement.last = Perfect(90);
  evaluation.Absorb(judgement, 1000);
  EXPECT_TRUE(evaluation.HasSkill()) << "too few rows to say";
  evaluation.Absorb(judgement, 1000);
  EXPECT_FALSE(evaluation.HasSkill());
  std::swap(judgement.last, judgement.served);
  for (int i = 0; i < 20; ++i) evaluation.Absorb(judgement, 1000);
  EXPECT_TRUE(evaluation.HasSkill());
}

TEST(Evaluation, AnEmptyMinibatchChangesNothing) {
  Evaluation evaluation;
  evaluation.Absorb(Served(OfWeight(3)), 10);
  const double before = evaluation.window.Average()["nll"];
  evaluation.Absorb(Served(Tally()), 10);
  EXPECT_EQ(evaluation.window.Average()["nll"], before);
}

// Weights at the edge of the numbers cancel to none. One such minibatch must not make the scores of
// all others NaN, nor a bin of a confidence that is none.
TEST(Evaluation, AMinibatchWithoutAPredictiveIsRejected) {
  for (const char* likelihood : {"bernoulli", "categorical", "poisson", "gaussian"}) {
    LearnerConfig config = PlainConfig(2, likelihood);
    if (config.likelihood.name == "categorical") config.target.num_classes = 3;
    const Learner learner = *Learner::Create(config);
    LearnerState state = learner.Initial(), next;
    Scratch scratch;
    Batch batch = BatchFor(likelihood, 2, 4, 1);
    ASSERT_TRUE(learner.Update(state, batch, scratch, next).ok());
    std::visit([](auto& q) { q.mean.head(2) << 1e308, -1e308; }, BeliefOf(state).posterior);
    ASSERT_TRUE(learner.DecodeState(learner.EncodeState(state)).ok());
    batch.inputs.setConstant(100);
    const absl::Status status = learner.Update(state, batch, scratch, next).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << likelihood << ": " << status;
  }
}

}  // namespace
}  // namespace prequel::evaluation_test
