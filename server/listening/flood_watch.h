// Sees that memory goes to calls that are begun and given up at once.
#pragma once

#include <chrono>
#include <cstdint>

namespace prequel {

// Such a call holds some 20 KB until gRPC comes to it, for a hundred bytes that never come whole:
// the process grows by what nothing explains. But what was freed and is still resident is not
// explained either, so how much that is says little by itself.
class FloodWatch {
 public:
  using Clock = std::chrono::steady_clock;

  // What the process has at a time, in bytes where nothing else is said.
  struct Sight {
    Clock::time_point when;
    std::int64_t resident = 0;
    std::int64_t explained = 0;    // what is known to be held of it, what is arriving included
    std::int64_t arriving = 0;     // of requests that have not come whole
    std::int64_t connections = 0;  // so many
  };

  // What the process may have beside what is explained, in bytes.
  explicit FloodWatch(std::int64_t unexplained) : unexplained_(unexplained) {}

  // Whether this is a flood, by what was seen before. To be asked every tenth of a second, or more
  // often. A process that is `large` must only grow; any other by much, three times in a row, and
  // for the little that arrives.
  bool Sees(const Sight& sight, bool large);

 private:
  bool Grows(const Sight& sight);
  bool GrowsForLittle(const Sight& sight);

  const std::int64_t unexplained_;
  Sight last_;
  std::int64_t grown_ = 0;
  Clock::time_point growing_since_;
  Sight begin_;       // of the present tenth of a second
  int in_a_row_ = 0;  // tenths of a second before it that grew by much for little
};

}  // namespace prequel
