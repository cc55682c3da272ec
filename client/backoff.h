// How long to wait before trying again: longer each time, and never in step with others.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace prequel::client {

struct RetryOptions {
  // The first pause, doubled from one attempt to the next up to `longest`. Each pause is shortened
  // at random by up to a half: a thousand clients do not come back at the same moment.
  std::chrono::milliseconds first{100};
  std::chrono::milliseconds longest{5'000};
  // Without progress for this long nothing is tried again; 0: never.
  std::chrono::milliseconds give_up{60'000};
};

class Backoff {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Backoff(const RetryOptions& options, Clock::time_point now = Clock::now());

  // Next is the pause before the next attempt; nothing: give up.
  std::optional<std::chrono::milliseconds> Next(Clock::time_point now = Clock::now());
  // Reset: there was progress.
  void Reset(Clock::time_point now = Clock::now());

 private:
  const RetryOptions options_;
  Clock::time_point progress_;
  std::chrono::milliseconds pause_;
  std::uint64_t random_;
};

}  // namespace prequel::client
