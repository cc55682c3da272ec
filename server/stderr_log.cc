#include "server/stderr_log.h"

#include <unistd.h>

#include <algorithm>
#include <string>

#include "absl/time/clock.h"
#include "absl/time/time.h"

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

}  // namespace

void LogLine(Severity severity, std::string_view message) {
  std::string line = absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ ", absl::Now(), absl::UTCTimeZone());
  line.append(NameOf(severity)).append(" ").append(message);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  line.push_back('\n');
  // One write, so that lines of several threads do not mix. A log that cannot be written is lost.
  [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace prequel
