#include "client/backoff.h"

#include <algorithm>
#include <random>

#include "client/random.h"

namespace prequel::client {

Backoff::Backoff(const RetryOptions& options, Clock::time_point now)
    : options_(options), progress_(now), pause_(options.first), random_(std::random_device()()) {}

std::optional<std::chrono::milliseconds> Backoff::Next(Clock::time_point now) {
  if (now - progress_ >= options_.give_up) return std::nullopt;
  const std::chrono::milliseconds pause = pause_;
  pause_ = std::min(2 * pause_, options_.longest);
  random_ = Scatter(random_);
  const double share = 0.5 + 0.5 * static_cast<double>(random_ >> 12) * 0x1p-52;
  return std::chrono::milliseconds(
      static_cast<std::int64_t>(share * static_cast<double>(pause.count())));
}

void Backoff::Reset(Clock::time_point now) {
  progress_ = now;
  pause_ = options_.first;
}

}  // namespace prequel::client
