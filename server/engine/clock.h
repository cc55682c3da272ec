// Wall-clock time, as deadlines and creation times are given; tests set it by hand.
#pragma once

#include <chrono>
#include <cstdint>

namespace prequel {

using TimePoint = std::chrono::system_clock::time_point;

// Microseconds since the Unix epoch, as times are stored.
inline std::int64_t MicrosecondsOf(TimePoint time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
}

class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimePoint Now() const = 0;
};

class SystemClock final : public Clock {
 public:
  TimePoint Now() const override { return std::chrono::system_clock::now(); }
};

}  // namespace prequel
