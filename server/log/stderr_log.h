// The server's log: one line per event on stderr, with time and severity. Never data or secrets.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "server/sync/mutex.h"

namespace prequel {

enum class Severity { kInfo, kWarning, kError };
// Text: time, severity and message. JSON: an object of them in each line.
enum class LogFormat { kText, kJson };

// Before other threads log.
void SetLogFormat(LogFormat format);

// Thread-safe. Line breaks and other control characters in `message` become spaces.
void LogLine(Severity severity, std::string_view message);

// The line without its end.
std::string FormatLogLine(LogFormat format, std::string_view time, Severity severity,
                          std::string_view message);

// A LogBudget is for lines that strangers can cause: it lets `per_second` of them pass in a second,
// and counts the others. Thread-safe.
class LogBudget {
 public:
  using Clock = std::chrono::steady_clock;

  explicit LogBudget(int per_second) : per_second_(per_second) {}

  // Take gives the number of lines left out since the last one that was not; nothing: this one is
  // to be left out, too.
  std::optional<std::int64_t> Take(Clock::time_point now = Clock::now());

 private:
  const int per_second_;
  Mutex mu_;
  Clock::time_point second_ ABSL_GUARDED_BY(mu_);  // began
  int lines_ ABSL_GUARDED_BY(mu_) = 0;             // in it
  std::int64_t left_out_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace prequel
