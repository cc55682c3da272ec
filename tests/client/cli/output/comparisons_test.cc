#include "client/cli/output/comparisons.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/client/named_numbers.h"

namespace prequel::cli::comparisons_test {
namespace {

using ::testing::HasSubstr;

v1::Scores Scores(double examples, double nll, double accuracy) {
  v1::Scores scores;
  scores.set_examples(examples);
  AddScore(scores, "nll", nll);
  if (accuracy > 0) AddScore(scores, "accuracy", accuracy);
  return scores;
}

v1::GetEvaluationResponse Evaluation(double nll, double last, double accuracy = 0.8) {
  v1::GetEvaluationResponse evaluation;
  evaluation.set_window_length(1000);
  *evaluation.mutable_window() = Scores(900, nll, accuracy);
  for (const char* name : {"raw", "last", "average"}) {
    v1::Comparison& comparison = *evaluation.add_comparisons();
    comparison.set_name(name);
    *comparison.mutable_window() = Scores(900, last, accuracy);
  }
  return evaluation;
}

TEST(ComparisonsTest, AColumnForEachScoreAndARowForEachPredictor) {
  const std::string text = ComparisonText(Evaluation(0.5, 0.625));
  EXPECT_THAT(text, HasSubstr("last ~1,000"));
  for (const char* word : {"nll", "accuracy", "the model", "uncalibrated", "the last label",
                           "class frequencies", "0.625"}) {
    EXPECT_THAT(text, HasSubstr(word));
  }
  EXPECT_THAT(ComparisonText(Evaluation(0.5, 0.625, 0)), HasSubstr("the last value"));
  EXPECT_EQ(ComparisonText(v1::GetEvaluationResponse()), "");
}

TEST(ComparisonsTest, SaysWhenRepeatingTheLastLabelIsBetter) {
  EXPECT_EQ(SkillWarning("m", Evaluation(0.5, 0.625)), "");
  EXPECT_EQ(SkillWarning("m", v1::GetEvaluationResponse()), "");
  const std::string worse = SkillWarning("models/elec", Evaluation(0.5, 0.375));
  EXPECT_THAT(worse, HasSubstr("models/elec has predicted worse"));
  EXPECT_THAT(worse, HasSubstr("repeating the last label"));
  EXPECT_THAT(worse, HasSubstr("0.5"));
  EXPECT_THAT(worse, HasSubstr("0.375"));
  v1::GetEvaluationResponse young = Evaluation(0.5, 0.375);
  young.mutable_window()->set_examples(20);
  EXPECT_EQ(SkillWarning("m", young), "");
}

}  // namespace
}  // namespace prequel::cli::comparisons_test
