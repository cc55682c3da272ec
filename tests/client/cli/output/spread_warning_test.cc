#include "client/cli/output/spread_warning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/client/named_numbers.h"

namespace prequel::cli::spread_warning_test {
namespace {

using ::testing::HasSubstr;

v1::Scores Scores(double examples, double rmse, double mae, double crps) {
  v1::Scores scores;
  scores.set_examples(examples);
  AddScore(scores, "rmse", rmse);
  AddScore(scores, "mae", mae);
  AddScore(scores, "crps", crps);
  return scores;
}

// Of a calibrated normal: rmse 1, mae √(2/π), crps 1/√π.
TEST(SpreadWarningTest, SoundPredictionsAreLeftAlone) {
  EXPECT_EQ(SpreadWarning("m", Scores(1e4, 1, 0.798, 0.564)), "");
  EXPECT_EQ(SpreadWarning("m", Scores(1e4, 0, 0, 0)), "");
  EXPECT_EQ(SpreadWarning("m", v1::Scores()), "");
}

TEST(SpreadWarningTest, NamesTheModelTheRatioAndWhatToTry) {
  // A normal predictive of deviation 20 at every outcome: crps = 20 (√2 − 1)/√π = 4.67.
  const std::string wide = SpreadWarning("rides", Scores(1e4, 1, 0.798, 4.67));
  EXPECT_THAT(wide, HasSubstr("rides are about 20"));
  EXPECT_THAT(wide, HasSubstr("--prior"));
}

// Of 10,000 errors one outweighs the others.
TEST(SpreadWarningTest, AbsurdMeansAreTold) {
  const std::string absurd = SpreadWarning("rides", Scores(1e4, 1e6, 1.2e4, 100));
  EXPECT_THAT(absurd, HasSubstr("predictions of rides are absurd"));
  EXPECT_THAT(absurd, HasSubstr("83"));
  EXPECT_EQ(SpreadWarning("rides", Scores(1e4, 25, 1, 0.5)), "");
}

}  // namespace
}  // namespace prequel::cli::spread_warning_test
