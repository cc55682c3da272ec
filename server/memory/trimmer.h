// Gives memory that nobody uses any more back to the operating system.
#pragma once

#include <cstdint>

namespace prequel {

// The allocator keeps what was freed, in as many heaps as there are threads: after a flood the
// process would stay as large as it ever was. Looking through the heaps, and giving back, keeps
// whoever allocates waiting, for some 10 and 30 ms after a flood; and while memory comes and goes
// the allocator uses it again by itself. One thread at a time.
class Trimmer {
 public:
  // Bytes of what may be given back at once, or be left.
  static constexpr std::int64_t kMuch = std::int64_t{64} << 20;

  // Calls of Look in a row in which nothing happens: the process is at rest.
  static constexpr int kRest = 10;

  // `limit`: how much should be resident at the most.
  explicit Trimmer(std::int64_t limit) : limit_(limit) {}

  // Look is to be called about once a second, with the bytes that are known to be held: it gives
  // back what is free when that is due; and once at the beginning of each rest however little it
  // is, so that a server at rest is as large after one storm as after another.
  void Look(std::int64_t held);

  // Whether the heaps are worth a look: neither what is held nor what is resident has changed since
  // a call ago, or more than `limit` is resident.
  bool IsTime(std::int64_t held, std::int64_t resident);
  // Whether a rest has begun with the last call of IsTime.
  bool RestBegins() const { return calm_ == kRest; }
  // Whether kMuch more is free, of what was allocated and is resident, than was left the last time.
  bool IsDue(std::int64_t allocated, std::int64_t resident) const;
  // SetLeft notes what is left once memory was given back.
  void SetLeft(std::int64_t allocated, std::int64_t resident) { left_ = resident - allocated; }

 private:
  const std::int64_t limit_;
  std::int64_t left_ = 0;  // resident and not allocated: code, stacks, what cannot be given back
  std::int64_t last_held_ = 0, last_resident_ = 0;
  int calm_ = 0;  // calls in a row in which nothing happened, counted up to kRest + 1
};

}  // namespace prequel
