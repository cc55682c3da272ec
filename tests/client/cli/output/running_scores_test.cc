#include "client/cli/output/running_scores.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "client/queries.h"
#include "core/scores/score_table.h"
#include "tests/client/named_numbers.h"

namespace prequel::cli::running_scores_test {
namespace {

using client::FindScore;

v1::Scores Scores(double examples, double nll) {
  v1::Scores scores;
  scores.set_examples(examples);
  AddScore(scores, "nll", nll);
  return scores;
}

TEST(RunningScoresTest, AveragesAreWeightedByExamples) {
  v1::Scores a = Scores(1, 1), b = Scores(3, 2);
  AddScore(a, "rmse", 1);
  AddScore(b, "rmse", 3);
  AddScore(a, "ece", 0.5);
  const v1::Scores average = Average({a, b});
  EXPECT_EQ(average.examples(), 4);
  EXPECT_DOUBLE_EQ(*FindScore(average, "nll"), 1.75);
  EXPECT_DOUBLE_EQ(*FindScore(average, "rmse"), std::sqrt((1 + 27) / 4.0));
  EXPECT_FALSE(FindScore(average, "ece").has_value());
  EXPECT_FALSE(FindScore(average, "accuracy").has_value());
}

TEST(RunningScoresTest, PartsWithoutExamplesDoNotCount) {
  v1::Scores unscored = Scores(0, 99);
  const v1::Scores average = Average({unscored, Scores(2, 1)});
  EXPECT_EQ(*FindScore(average, "nll"), 1);
  EXPECT_FALSE(FindScore(Average({unscored}), "nll").has_value());
}

// Whoever adds a score to core says in running_scores.cc how minibatches make up one of all.
TEST(RunningScoresTest, EveryScoreButTheCalibrationErrorIsAveraged) {
  for (const TargetKind kind : {TargetKind::kValues, TargetKind::kClasses}) {
    for (const Score& score : ScoresOf(kind)) {
      v1::Scores scores;
      scores.set_examples(1);
      AddScore(scores, std::string(score.name), 0.5);
      EXPECT_EQ(FindScore(Average({scores}), score.name).has_value(), score.name != "ece")
          << score.name;
    }
  }
}

TEST(RunningScoresTest, AScoreThatNobodyKnowsIsLeftOut) {
  v1::Scores scores = Scores(1, 0.5);
  AddScore(scores, "median_error", 2);
  EXPECT_EQ(Average({scores, scores}).scores_size(), 1);
}

TEST(RunningScoresTest, TheWindowForgets) {
  RunningScores running(2);
  for (double nll : {10.0, 2.0, 4.0}) running.Add(Scores(1, nll));
  EXPECT_DOUBLE_EQ(*FindScore(running.total(), "nll"), 16.0 / 3);
  EXPECT_DOUBLE_EQ(*FindScore(running.recent(), "nll"), 3);
}

TEST(RunningScoresTest, ScoresKeepTheirOrder) {
  v1::Scores scores = Scores(1, 0.5);
  AddScore(scores, "mae", 2);
  AddScore(scores, "crps", 0.9);
  JsonWriter json;
  WriteScores(Average({scores, scores}), json);
  EXPECT_EQ(json.text(), R"({"examples": 2, "nll": 0.5, "mae": 2, "crps": 0.9})");
}

}  // namespace
}  // namespace prequel::cli::running_scores_test
