// Gives memory that nobody uses any more back to the operating system.
#pragma once

#include <cstdint>

namespace prequel {

// The allocator keeps what was freed, in as many heaps as there are threads: after a flood the
// process would stay as large as it ever was. One thread at a time.
class Trimmer {
 public:
  // Bytes of what may be given back at once, or be left.
  static constexpr std::int64_t kMuch = std::int64_t{64} << 20;

  // Of the process, in bytes.
  struct Memory {
    std::int64_t used = 0;      // of the allocator's, by us
    std::int64_t resident = 0;  // what the operating system has given it
  };

  // `limit`: how much should be resident at the most.
  explicit Trimmer(std::int64_t limit) : limit_(limit) {}

  // To be called about once a second: gives back what is free when that is due.
  void Look();

  // Whether it is due: when kMuch more is free than was left the last time, and either the process
  // rests or more than `limit` is resident. While memory comes and goes the allocator uses it again
  // by itself, and giving back keeps whoever allocates waiting, for some 30 ms.
  bool IsDue(const Memory& now);
  // What is left once it was done.
  void SetLeft(const Memory& now) { left_ = now.resident - now.used; }

 private:
  const std::int64_t limit_;
  std::int64_t left_ = 0;  // resident and not used: code, stacks, and what cannot be given back
  Memory last_;            // a call ago
};

}  // namespace prequel
