#include "server/observe/metrics.h"

#include <gmock/gmock.h>

#include <string>

namespace prequel {
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

}  // namespace
}  // namespace prequel
