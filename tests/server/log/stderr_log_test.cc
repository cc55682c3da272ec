#include "server/log/stderr_log.h"

#include <gtest/gtest.h>

#include <chrono>

namespace prequel::stderr_log_test {
namespace {

TEST(StderrLog, LinesAreTextOrJson) {
  const auto text = [](const char* message) {
    return FormatLogLine(LogFormat::kText, "now", Severity::kWarning, message);
  };
  const auto json = [](const char* message) {
    return FormatLogLine(LogFormat::kJson, "now", Severity::kError, message);
  };
  EXPECT_EQ(text("a\nb\x01"
                 "c\x7f"
                 "d"),
            "now WARNING a b c d");
  EXPECT_EQ(json("all is well"),
            "{\"time\":\"now\",\"severity\":\"ERROR\",\"message\":\"all is well\"}");
  EXPECT_EQ(json("\"}\\\n"),
            "{\"time\":\"now\",\"severity\":\"ERROR\",\"message\":\"\\\"}\\\\ \"}");
  // Bytes that are no text are still JSON.
  EXPECT_EQ(json("\xff"), "{\"time\":\"now\",\"severity\":\"ERROR\",\"message\":\"\\\\xff\"}");
}

TEST(LogBudget, LeavesOutWhatIsTooMuchAndCountsIt) {
  LogBudget budget(2);
  const LogBudget::Clock::time_point start{std::chrono::hours(1)};
  EXPECT_EQ(budget.Take(start), 0);
  EXPECT_EQ(budget.Take(start), 0);
  EXPECT_EQ(budget.Take(start), std::nullopt);
  EXPECT_EQ(budget.Take(start + std::chrono::milliseconds(999)), std::nullopt);
  EXPECT_EQ(budget.Take(start + std::chrono::seconds(1)), 2);
  EXPECT_EQ(budget.Take(start + std::chrono::seconds(1)), 0);
}

}  // namespace
}  // namespace prequel::stderr_log_test
