// Gives memory that nobody uses any more back to the operating system.
#pragma once

#include <cstdint>

namespace prequel {

// The allocator keeps what was freed, in as many heaps as there are threads: after a flood the
// process would stay as large as it ever was. One thread at a time.
class Trimmer {
 public:
  // To be called about once a second, with the bytes that are known to be held: gives back what is
  // free when that has fallen by more than kMuch, when the process has grown by as much and rests,
  // and now and then in any case.
  void Look(std::int64_t held);

 private:
  static constexpr std::int64_t kMuch = std::int64_t{64} << 20;
  void Trim();

  std::int64_t most_ = 0;   // held, since the last Trim
  std::int64_t least_ = 0;  // resident, since the last Trim
  std::int64_t last_ = 0;   // resident, a call ago
  int looks_ = 0;           // since the last Trim
};

}  // namespace prequel
