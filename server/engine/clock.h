// Wall-clock time, as deadlines and creation times are given; tests set it by hand.
#pragma once

#include <chrono>

namespace prequel {

using TimePoint = std::chrono::system_clock::time_point;

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
