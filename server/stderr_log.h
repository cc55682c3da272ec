// The server's log: one line per event on stderr, with time and severity. Never data or secrets.
#pragma once

#include <string_view>

namespace prequel {

enum class Severity { kInfo, kWarning, kError };

// Thread-safe. Line breaks and other control characters in `message` become spaces.
void LogLine(Severity severity, std::string_view message);

}  // namespace prequel
