#include "server/observe/metrics.h"

#include <gmock/gmock.h>

#include <string>

namespace prequel::metrics_test {
namespace {

using ::testing::HasSubstr;

TEST(Metrics, AskWhoKnowsAtEveryScrape) {
  Metrics metrics;
  double value = 3;
  metrics.AddCounter("things_total", "Things that were counted", [&value] { return value; });
  metrics.AddGauge("things", "Things there are", [&value] { return value; });
  EXPECT_THAT(metrics.Text(), HasSubstr("# HELP things_total Things that were counted\n"
                                        "# TYPE things_total counter\n"
                                        "things_total 3\n"));
  value = 4;
  EXPECT_THAT(metrics.Text(), HasSubstr("\nthings_total 4\n"));
  EXPECT_THAT(metrics.Text(), HasSubstr("# TYPE things gauge\nthings 4\n"));
}

TEST(Metrics, KnowTheProcess) {
  const std::string text = Metrics().Text();
  EXPECT_THAT(text, HasSubstr("# TYPE process_cpu_seconds_total counter\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE process_open_fds gauge\n"));
}

// A rate over a series that begins with its first event misses that event.
TEST(Metrics, CountersBeginAtNought) {
  const std::string text = Metrics().Text();
  for (const char* series :
       {"prequel_batches_total 0\n", "prequel_rows_refused_total 0\n",
        "prequel_batches_refused_total{code=\"INVALID_ARGUMENT\"} 0\n",
        "prequel_updates_failed_total{code=\"INTERNAL\"} 0\n",
        "prequel_commits_total{code=\"OK\"} 0\n", "prequel_snapshots_total{code=\"OK\"} 0\n"}) {
    EXPECT_THAT(text, HasSubstr(series));
  }
  for (const char* method : {"CreateModel", "Learn", "Predict", "ListParts", "ImportModel"}) {
    EXPECT_THAT(text, HasSubstr(std::string("method=\"") + method + "\"")) << method;
  }
}

}  // namespace
}  // namespace prequel::metrics_test
