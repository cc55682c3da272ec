#include "client/cli/output/evaluation_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/client/named_numbers.h"

namespace prequel::cli::evaluation_text_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

v1::GetEvaluationResponse Evaluation(double examples, double nll, const char* second) {
  v1::GetEvaluationResponse evaluation;
  evaluation.set_revision(7);
  evaluation.set_window_length(1000);
  for (v1::Scores* scores : {evaluation.mutable_cumulative(), evaluation.mutable_window()}) {
    scores->set_examples(examples);
    AddScore(*scores, "nll", nll);
    AddScore(*scores, second, 0.25);
  }
  return evaluation;
}

TEST(EvaluationTextTest, SaysThatLabelsCountAsKnown) {
  const std::string text = EvaluationText({"models/m", Evaluation(10, 0.5, "accuracy")});
  EXPECT_THAT(text, HasSubstr("as if each label were known before the next question"));
  EXPECT_EQ(EvaluationText({"models/m", {}}), "models/m at revision 0\nnothing scored yet\n");
}

TEST(EvaluationTextTest, SaysWhatIsNotCounted) {
  v1::GetEvaluationResponse evaluation = Evaluation(10, 0.5, "accuracy");
  EXPECT_THAT(EvaluationText({"models/m", evaluation}), Not(HasSubstr("rows")));
  evaluation.set_skipped_rows(2);
  evaluation.set_unscored_rows(3);
  evaluation.set_unseen_categories(1'234);
  EXPECT_THAT(EvaluationText({"models/m", evaluation}),
              HasSubstr("2 rows skipped: no target\n"
                        "3 rows unscored: learned again, or before a predictive existed\n"
                        "1,234 values of a category that was new to the model, or had no room\n"));
}

TEST(EvaluationTextTest, SeveralModelsAreColumns) {
  const std::string text = SideBySideText({{"models/a", Evaluation(10, 0.5, "accuracy")},
                                           {"models/bb", Evaluation(10, 0.125, "accuracy")}});
  EXPECT_THAT(text, HasSubstr("                       models/a  models/bb\n"
                              "             revision         7          7\n"
                              "all          examples        10         10\n"
                              "             nll         0.5000     0.1250\n"
                              "             accuracy    0.2500     0.2500\n"
                              "last ~1,000  examples"));
  EXPECT_THAT(text, HasSubstr("as if each label were known before the next question"));
  EXPECT_THAT(text, Not(HasSubstr("different numbers of rows")));
}

TEST(EvaluationTextTest, ModelsOfOtherKindsAndOtherRows) {
  v1::GetEvaluationResponse other = Evaluation(20, 2, "rmse");
  other.set_window_length(500);
  v1::Alarm& alarm = *other.add_alarms();
  alarm.set_cause("weights");
  alarm.set_raised(true);
  const std::string text =
      SideBySideText({{"models/a", Evaluation(10, 0.5, "accuracy")}, {"models/b", other}});
  EXPECT_THAT(text, HasSubstr("accuracy    0.2500         -\n"));
  EXPECT_THAT(text, HasSubstr("rmse             -    0.2500\n"));
  EXPECT_THAT(text, HasSubstr("recent  examples"));
  EXPECT_THAT(text, HasSubstr("different numbers of rows"));
  EXPECT_THAT(text, HasSubstr("\nmodels/b\nchanged since revision"));
}

}  // namespace
}  // namespace prequel::cli::evaluation_text_test
