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

  // `limit`: how many bytes the process should not have.
  explicit Trimmer(std::int64_t limit) : limit_(limit) {}

  // To be called about once a second, with the bytes that are known to be held, and those that the
  // process has: gives back what is free when that is due.
  void Look(std::int64_t held, std::int64_t resident);

  // Whether it is due: when what is held has fallen by more than kMuch, or the process has grown by
  // as much, and either the process rests or it has more than `limit`; and now and then in any
  // case. While memory comes and goes the allocator uses it again by itself, and giving back keeps
  // whoever allocates waiting, for some 30 ms.
  bool IsDue(std::int64_t held, std::int64_t resident);

 private:
  const std::int64_t limit_;
  // Since the last time that it was due.
  int looks_ = 0;
  std::int64_t most_held_ = 0;
  std::int64_t least_resident_ = 0;
  // A call ago.
  std::int64_t last_held_ = 0, last_resident_ = 0;
};

}  // namespace prequel
