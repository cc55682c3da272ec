#include "server/log/stderr_log.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "server/wire/text.h"

namespace prequel {
namespace {

const char* NameOf(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return "INFO";
    case Severity::kWarning:
      return "WARNING";
    case Severity::kError:
      break;
  }
  return "ERROR";
}

std::atomic<LogFormat> g_format = LogFormat::kText;

// JsonString gives `text` as a JSON string, whatever its bytes are.
std::string JsonString(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : wire::Readable(text)) {
    if (c == '"' || c == '\\') quoted.push_back('\\');
    quoted.push_back(c);
  }
  quoted.push_back('"');
  return quoted;
}

}  // namespace

void SetLogFormat(LogFormat format) { g_format = format; }

std::string FormatLogLine(LogFormat format, std::string_view time, Severity severity,
                          std::string_view message) {
  std::string text(message);
  std::replace_if(
      text.begin(), text.end(),
      [](char c) { return absl::ascii_iscntrl(static_cast<unsigned char>(c)); }, ' ');
  if (format == LogFormat::kText) {
    return absl::StrCat(std::string(time), " ", NameOf(severity), " ", text);
  }
  return absl::StrCat("{\"time\":", JsonString(time), ",\"severity\":\"", NameOf(severity),
                      "\",\"message\":", JsonString(text), "}");
}

void LogLine(Severity severity, std::string_view message) {
  const std::string time =
      absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::Now(), absl::UTCTimeZone());
  const std::string line = FormatLogLine(g_format, time, severity, message) + "\n";
  // One write, so that lines of several threads do not mix. A log that cannot be written is lost.
  [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
}

std::optional<std::int64_t> LogBudget::Take(Clock::time_point now) {
  MutexLock lock(mu_);
  if (now - second_ >= std::chrono::seconds(1)) {
    second_ = now;
    lines_ = 0;
  }
  if (lines_ >= per_second_) {
    ++left_out_;
    return std::nullopt;
  }
  ++lines_;
  return std::exchange(left_out_, 0);
}

}  // namespace prequel
