#include "server/memory/trimmer.h"

#include <malloc.h>

#include <algorithm>

#include "server/memory/machine.h"

namespace prequel {

void Trimmer::Look(std::int64_t held) {
  constexpr int kOften = 3, kRarely = 30;
  const std::int64_t resident = ResidentBytes();
  least_ = looks_ == 0 ? resident : std::min(least_, resident);
  most_ = looks_ == 0 ? held : std::max(most_, held);
  ++looks_;
  const bool fell = held < most_ - kMuch;
  const bool grew = resident > least_ + kMuch;
  const bool rests = resident <= last_ + kMuch / 16;
  last_ = resident;
  if (fell || (grew && rests && looks_ >= kOften) || looks_ >= kRarely) Trim();
}

void Trimmer::Trim() {
  malloc_trim(0);
  looks_ = 0;
}

}  // namespace prequel
