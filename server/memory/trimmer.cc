#include "server/memory/trimmer.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "server/memory/machine.h"

namespace prequel {

void Trimmer::Look(std::int64_t held) {
  const std::int64_t resident = ResidentBytes();
  if (!IsTime(held, resident)) return;
  if (!RestBegins() && !IsDue(AllocatedBytes(), resident)) return;
  malloc_trim(0);
  SetLeft(AllocatedBytes(), ResidentBytes());
}

bool Trimmer::IsTime(std::int64_t held, std::int64_t resident) {
  constexpr std::int64_t kLittle = kMuch / 16;
  const std::int64_t more_held = held - std::exchange(last_held_, held);
  const std::int64_t more_resident = resident - std::exchange(last_resident_, resident);
  const bool calm = std::abs(more_held) <= kLittle && more_resident <= kLittle;
  calm_ = calm ? std::min(calm_ + 1, kRest + 1) : 0;
  return calm || resident > limit_;
}

bool Trimmer::IsDue(std::int64_t allocated, std::int64_t resident) const {
  return resident - allocated > left_ + kMuch;
}

}  // namespace prequel
