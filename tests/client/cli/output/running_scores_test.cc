#include "client/cli/output/running_scores.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prequel::cli {
namespace {

v1::Scores Scores(double examples, double nll) {
  v1::Scores scores;
  scores.set_examples(examples);
  scores.set_nll(nll);
  return scores;
}

TEST(RunningScoresTest, AveragesAreWeightedByExamples) {
  v1::Scores a = Scores(1, 1), b = Scores(3, 2);
  a.set_rmse(1);
  b.set_rmse(3);
  a.set_ece(0.5);
  const v1::Scores average = Average({a, b});
  EXPECT_EQ(average.examples(), 4);
  EXPECT_DOUBLE_EQ(average.nll(), 1.75);
  EXPECT_DOUBLE_EQ(average.rmse(), std::sqrt((1 + 27) / 4.0));
  EXPECT_FALSE(average.has_ece());
  EXPECT_FALSE(average.has_accuracy());
}

TEST(RunningScoresTest, PartsWithoutExamplesDoNotCount) {
  v1::Scores unscored = Scores(0, 99);
  const v1::Scores average = Average({unscored, Scores(2, 1)});
  EXPECT_EQ(average.nll(), 1);
  EXPECT_TRUE(PresentScores(Average({unscored})).empty());
}

TEST(RunningScoresTest, TheWindowForgets) {
  RunningScores running(2);
  for (double nll : {10.0, 2.0, 4.0}) running.Add(Scores(1, nll));
  EXPECT_DOUBLE_EQ(running.total().nll(), 16.0 / 3);
  EXPECT_DOUBLE_EQ(running.recent().nll(), 3);
}

TEST(RunningScoresTest, PresentScoresKeepTheirOrder) {
  v1::Scores scores = Scores(1, 0.5);
  scores.set_accuracy(0.9);
  scores.set_mae(2);
  const auto present = PresentScores(scores);
  ASSERT_EQ(present.size(), 3);
  EXPECT_EQ(present[0].name, "nll");
  EXPECT_EQ(present[1].name, "mae");
  EXPECT_EQ(present[2].name, "accuracy");
  JsonWriter json;
  WriteScores(scores, json);
  EXPECT_EQ(json.text(), R"({"examples": 1, "nll": 0.5, "mae": 2, "accuracy": 0.9})");
}

}  // namespace
}  // namespace prequel::cli
