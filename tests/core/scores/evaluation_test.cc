#include "core/scores/evaluation.h"

#include <cmath>

#include "core/learner/learner.h"
#include "gtest/gtest.h"
#include "tests/core/streams.h"

namespace prequel {
namespace {

Tally OfWeight(double weight) {
  Tally tally;
  tally.weight = weight;
  tally.nll = 2 * weight;
  tally.squared_error = 9 * weight;
  tally.inside90 = 0.5 * weight;
  return tally;
}

TEST(Tally, AveragesOfValues) {
  Tally tally;
  tally.weight = 4;
  tally.nll = 2;
  tally.squared_error = 36;
  tally.absolute_error = 8;
  tally.crps = 1;
  tally.inside50 = 2;
  tally.inside90 = 3;
  tally.inside95 = 4;
  const Scores scores = tally.Average(false);
  EXPECT_EQ(scores.examples, 4);
  EXPECT_EQ(scores.nll, 0.5);
  EXPECT_EQ(scores.rmse, 3);
  EXPECT_EQ(scores.mae, 2);
  EXPECT_EQ(scores.crps, 0.25);
  EXPECT_EQ(scores.coverage50, 0.5);
  EXPECT_EQ(scores.coverage90, 0.75);
  EXPECT_EQ(scores.coverage95, 1);
  EXPECT_FALSE(scores.accuracy || scores.brier || scores.ece);
}

TEST(Tally, NothingSeenHasNoScores) {
  const Scores scores = Tally().Average(true);
  EXPECT_EQ(scores.examples, 0);
  EXPECT_FALSE(scores.accuracy || scores.rmse || scores.ece);
}

TEST(AddClassified, ScoresByHand) {
  Tally tally;
  AddClassified(Eigen::Vector3d(0.7, 0.2, 0.1), 0, std::log(0.7), tally);
  AddClassified(Eigen::Vector3d(0.7, 0.2, 0.1), 2, std::log(0.1), tally);
  const Scores scores = tally.Average(true);
  EXPECT_EQ(scores.examples, 2);
  EXPECT_DOUBLE_EQ(scores.nll, -(std::log(0.7) + std::log(0.1)) / 2);
  EXPECT_EQ(scores.accuracy, 0.5);
  EXPECT_DOUBLE_EQ(*scores.brier, ((0.09 + 0.04 + 0.01) + (0.49 + 0.04 + 0.81)) / 2);
  EXPECT_NEAR(*scores.ece, 0.2, 1e-15);  // confidence 0.7, right half of the time
  EXPECT_FALSE(scores.rmse || scores.coverage90);
}

TEST(AddClassified, FullConfidenceFallsIntoTheLastBin) {
  Tally tally;
  AddClassified(Eigen::Vector2d(0, 1), 1, 0, tally);
  EXPECT_EQ(tally.bin_weight.back(), 1);
  EXPECT_EQ(tally.bin_correct.back(), 1);
}

TEST(AddClassified, ErrorsOfOppositeSignInDifferentBinsDoNotCancel) {
  Tally tally;
  AddClassified(Eigen::Vector2d(0.6, 0.4), 0, std::log(0.6), tally);
  AddClassified(Eigen::Vector2d(0.9, 0.1), 1, std::log(0.1), tally);
  EXPECT_NEAR(*tally.Average(true).ece, (0.4 + 0.9) / 2, 1e-15);
}

TEST(Evaluation, CumulativeIsASumAndWindowForgets) {
  Evaluation evaluation;
  for (int i = 0; i < 2000; ++i) evaluation.Absorb(OfWeight(10), 100);
  EXPECT_DOUBLE_EQ(evaluation.cumulative.weight, 20000);
  EXPECT_NEAR(evaluation.window.weight, 100, 1e-9);
  Tally perfect;
  perfect.weight = 100;
  evaluation.Absorb(perfect, 100);
  EXPECT_NEAR(evaluation.window.Average(false).nll, 2 * std::pow(0.99, 100), 1e-9);
}

TEST(Evaluation, TheWindowDoesNotDependOnHowABatchIsSplit) {
  Evaluation one, many;
  one.Absorb(OfWeight(600), 100);
  for (int i = 0; i < 600; ++i) many.Absorb(OfWeight(1), 100);
  EXPECT_NEAR(one.window.weight, many.window.weight, 1e-9);
  EXPECT_NEAR(one.window.nll, many.window.nll, 1e-9);
}

TEST(Evaluation, TheWindowIsExponential) {
  Evaluation evaluation;
  evaluation.Absorb(OfWeight(1), 4);
  evaluation.Absorb(OfWeight(1), 4);
  EXPECT_NEAR(evaluation.window.weight, 1 + 0.75, 1e-15);
}

TEST(Evaluation, ShortestWindowHoldsTheLastExample) {
  Evaluation evaluation;
  evaluation.Absorb(OfWeight(1), 1);
  Tally last;
  last.weight = 1;
  evaluation.Absorb(last, 1);
  EXPECT_EQ(evaluation.window.weight, 1);
  EXPECT_EQ(evaluation.window.nll, 0);
}

TEST(Evaluation, AnEmptyMinibatchChangesNothing) {
  Evaluation evaluation;
  evaluation.Absorb(OfWeight(3), 10);
  const double before = evaluation.window.nll;
  evaluation.Absorb(Tally(), 10);
  EXPECT_EQ(evaluation.window.nll, before);
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
    std::visit([](auto& q) { q.mean.head(2) << 1e308, -1e308; }, state.posterior);
    ASSERT_TRUE(learner.DecodeState(learner.EncodeState(state)).ok());
    batch.inputs.setConstant(100);
    const absl::Status status = learner.Update(state, batch, scratch, next).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << likelihood << ": " << status;
  }
}

}  // namespace
}  // namespace prequel
