// `prequel watch` and `prequel list`, against a fake server: what is said of how models do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/client/cli/program_fixture.h"
#include "tests/client/named_numbers.h"

namespace prequel::cli::status_commands_test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

constexpr char kTime[] = "20[0-9][0-9]-[0-9][0-9]-[0-9][0-9] [0-9][0-9]:[0-9][0-9]:[0-9][0-9]";

v1::GetEvaluationResponse Evaluation(double nll, double last) {
  v1::GetEvaluationResponse evaluation;
  evaluation.set_revision(9);
  evaluation.mutable_cumulative()->set_examples(500);
  evaluation.mutable_window()->set_examples(500);
  AddScore(*evaluation.mutable_window(), "nll", nll);
  v1::Comparison& comparison = *evaluation.add_comparisons();
  comparison.set_name("last");
  comparison.mutable_window()->set_examples(500);
  AddScore(*comparison.mutable_window(), "nll", last);
  for (const char* cause : {"inputs", "noise", "weights"}) {
    v1::Alarm& alarm = *evaluation.add_alarms();
    alarm.set_cause(cause);
    alarm.set_raised(std::string(cause) != "noise");
  }
  return evaluation;
}

TEST_F(ProgramTest, WatchBeginsAtOnceAndSaysWhen) {
  const std::string time = kTime;
  EXPECT_THAT(Run("watch m --count 1").out, MatchesRegex(time + "  0: nothing scored yet\n"));
  server_.behaviour().watched = {Evaluation(0.5, 0.75)};
  EXPECT_THAT(Run("watch m --count 1").out,
              MatchesRegex("time .UTC.  .* revision .*\n" + time +
                           "  +9  +500  +0.5000  +0.7500  +-  inputs  weights\n"));
}

TEST_F(ProgramTest, ListShowsHowModelsDo) {
  client::FakeBehaviour& behaviour = server_.behaviour();
  v1::Model& good = behaviour.models.front();
  good.set_state(v1::Model::STATE_SERVING);
  good.set_revision(9);
  v1::Model starting;
  starting.set_name("models/starting");
  starting.set_state(v1::Model::STATE_STARTING);
  starting.mutable_replay()->set_folded(20);
  starting.mutable_replay()->set_records(5000);
  v1::Model failed;
  failed.set_name("models/failed");
  failed.set_state(v1::Model::STATE_FAILED);
  failed.set_problem("its log is damaged");
  behaviour.models.push_back(starting);
  behaviour.models.push_back(failed);
  behaviour.evaluations = {{"models/m", Evaluation(0.5, 0.75)}};
  const std::string list = Run("list").out;
  EXPECT_THAT(list, ContainsRegex("REVISION +EXAMPLES +STATE +SKILL +ALARMS\n"));
  EXPECT_THAT(list, ContainsRegex("models/m .* 9 +0 +serving +0.2500 +inputs, weights\n"));
  EXPECT_THAT(list, ContainsRegex("models/starting .* - +- +starting +- +-\n"));
  EXPECT_THAT(list, ContainsRegex("models/failed .* - +- +failed +- +-\n"));
  EXPECT_THAT(Run("describe starting").out,
              HasSubstr("state        starting: 20 of 5,000 records of its log folded again\n"));
  EXPECT_THAT(Run("describe failed").out, HasSubstr("state        failed: its log is damaged\n"));
}

}  // namespace
}  // namespace prequel::cli::status_commands_test
