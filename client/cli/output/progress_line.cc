#include "client/cli/output/progress_line.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <iostream>

#include "absl/strings/str_format.h"

namespace prequel::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kInterval(100);
constexpr std::size_t kBarCells = 24;

}  // namespace

ProgressLine::ProgressLine(bool enabled)
    : enabled_(enabled && isatty(STDERR_FILENO) == 1), next_(Clock::now() + kInterval) {}

bool ProgressLine::due() const { return enabled_ && Clock::now() >= next_; }

void ProgressLine::Show(const std::optional<double>& fraction, const std::string& text) {
  if (!due()) return;
  next_ = Clock::now() + kInterval;
  drawn_ = true;
  std::cerr << "\r\033[K" << (fraction ? Bar(*fraction) + "  " : "") << text << std::flush;
}

void ProgressLine::Clear() {
  if (drawn_) std::cerr << "\r\033[K" << std::flush;
  drawn_ = false;
}

std::string Bar(double fraction) {
  fraction = std::clamp(fraction, 0.0, 1.0);
  const auto full = static_cast<std::size_t>(fraction * kBarCells);
  return absl::StrFormat("[%s%s] %3d %%", std::string(full, '#'),
                         std::string(kBarCells - full, '-'), static_cast<int>(100 * fraction));
}

}  // namespace prequel::cli
