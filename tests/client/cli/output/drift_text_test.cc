#include "client/cli/output/drift_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace prequel::cli::drift_text_test {
namespace {

using ::testing::HasSubstr;

v1::GetEvaluationResponse Moving() {
  v1::GetEvaluationResponse evaluation;
  v1::Drift& drift = *evaluation.mutable_drift();
  drift.set_rate(0.0035);
  drift.set_intercept_rate(3.5);
  for (const double rate : {0.0, 1e-5, 1e-2}) {
    v1::BeliefWeight& belief = *drift.add_beliefs();
    belief.set_rate(rate);
    belief.set_intercept_rate(rate * 1000);
    belief.set_weight(0.25);
  }
  v1::BeliefWeight& latest = *drift.add_beliefs();
  latest.set_since_restart(true);
  latest.set_weight(0.25);
  drift.add_noise_tracks()->set_weight(0.75);
  v1::NoiseTrack& late = *drift.add_noise_tracks();
  late.set_rate(0.1);
  late.set_weight(0.25);
  drift.mutable_restart()->set_probability(0.125);
  drift.mutable_restart()->set_window(1000);
  drift.mutable_restart()->set_run_length(45312);
  return evaluation;
}

TEST(DriftText, HasEveryBeliefAndTheirAverage) {
  EXPECT_EQ(DriftText(Moving()),
            "\n"
            "drift            rate  intercept  weight\n"
            "still               0          0  0.2500\n"
            "drifting        1e-05       0.01  0.2500\n"
            "drifting         0.01         10  0.2500\n"
            "since restart       0          0  0.2500\n"
            "on average     0.0035        3.5\n"
            "noise forgets at these rates a row: 0.7500 at 0, 0.2500 at 0.1\n"
            "a restart within the last 1,000 rows: 0.1250; the likeliest run has 45,312 rows\n");
  EXPECT_EQ(DriftText({}), "");
}

TEST(DriftText, AnAlarmSaysWhatChanged) {
  v1::GetEvaluationResponse evaluation;
  for (const char* cause : {"inputs", "noise", "weights"}) {
    v1::Alarm& alarm = *evaluation.add_alarms();
    alarm.set_cause(cause);
    alarm.set_revision(1234);
    if (alarm.cause() == "weights") continue;
    alarm.set_column(alarm.cause() == "inputs" ? "price" : "");
    alarm.set_moment(alarm.cause() == "inputs" ? "mean" : "deviation");
    alarm.set_before(0.5);
    alarm.set_after(2);
  }
  EXPECT_EQ(AlarmText(evaluation), "") << "none is raised";
  for (v1::Alarm& alarm : *evaluation.mutable_alarms()) alarm.set_raised(true);
  EXPECT_EQ(AlarmText(evaluation),
            "changed since revision 1,234: the mean of price was 0.5000 and became 2.0000\n"
            "changed since revision 1,234: the deviation of the noise was 0.5000 and became "
            "2.0000\n"
            "changed since revision 1,234: beliefs that move, or a restart, predict best\n");
}

}  // namespace
}  // namespace prequel::cli::drift_text_test
