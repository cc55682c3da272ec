#include "server/observe/model_look.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "server/observe/metrics.h"

namespace prequel::model_look_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ModelLookTest, IsASeriesForEachNumberThatApplies) {
  Metrics metrics;
  EXPECT_THAT(metrics.Text(), Not(HasSubstr("prequel_model_")));
  metrics.SetLooks([] {
    return std::vector<ModelLook>{
        {.name = "a",
         .revision = 7,
         .rows = 448,
         .unseen_categories = 12,
         .nll = 0.5,
         .accuracy = 0.75,
         .ece = 0.125,
         .skill = 0.25,
         .newest_row_age = 3,
         .alarms = {{"inputs", true}, {"weights", false}}},
        {.name = "b", .revision = 1, .coverage = 0.875, .drift_rate = 0.001}};
  });
  const std::string text = metrics.Text();
  for (const char* line :
       {"# TYPE prequel_model_nll gauge\nprequel_model_nll{model=\"a\"} 0.5\n",
        "prequel_model_revision{model=\"a\"} 7\nprequel_model_revision{model=\"b\"} 1\n",
        "prequel_model_rows{model=\"a\"} 448\n",
        "prequel_model_unseen_categories{model=\"a\"} 12\n",
        "prequel_model_accuracy{model=\"a\"} 0.75\n", "prequel_model_coverage{model=\"b\"} 0.875\n",
        "prequel_model_ece{model=\"a\"} 0.125\n", "prequel_model_skill{model=\"a\"} 0.25\n",
        "prequel_model_drift_rate{model=\"b\"} 0.001\n",
        "prequel_model_newest_row_age_seconds{model=\"a\"} 3\n",
        "prequel_model_alarm{model=\"a\",cause=\"inputs\"} 1\n",
        "prequel_model_alarm{model=\"a\",cause=\"weights\"} 0\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(text, Not(HasSubstr("prequel_model_nll{model=\"b\"}")));
}

}  // namespace
}  // namespace prequel::model_look_test
