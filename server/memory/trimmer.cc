#include "server/memory/trimmer.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>

namespace prequel {

void Trimmer::Look(std::int64_t held, std::int64_t resident) {
  if (IsDue(held, resident)) malloc_trim(0);
}

bool Trimmer::IsDue(std::int64_t held, std::int64_t resident) {
  constexpr int kOften = 3, kRarely = 30;
  constexpr std::int64_t kLittle = kMuch / 16;
  least_resident_ = looks_ == 0 ? resident : std::min(least_resident_, resident);
  most_held_ = std::max(looks_ == 0 ? last_held_ : most_held_, held);
  ++looks_;
  const bool fell = held < most_held_ - kMuch;
  const bool grew = resident > least_resident_ + kMuch && looks_ >= kOften;
  const bool rests = resident <= last_resident_ + kLittle && std::abs(held - last_held_) <= kLittle;
  last_held_ = held;
  last_resident_ = resident;
  const bool due = ((fell || grew) && (rests || resident > limit_)) || looks_ >= kRarely;
  if (due) looks_ = 0;
  return due;
}

}  // namespace prequel
