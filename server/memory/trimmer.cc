#include "server/memory/trimmer.h"

#include <malloc.h>

#include <cstdlib>

#include "server/memory/machine.h"

namespace prequel {
namespace {

// Of all heaps.
Trimmer::Memory MemoryNow() {
  const struct mallinfo2 of = mallinfo2();
  return {static_cast<std::int64_t>(of.uordblks + of.hblkhd), ResidentBytes()};
}

}  // namespace

void Trimmer::Look() {
  if (!IsDue(MemoryNow())) return;
  malloc_trim(0);
  SetLeft(MemoryNow());
}

bool Trimmer::IsDue(const Memory& now) {
  constexpr std::int64_t kLittle = kMuch / 16;
  const bool rests =
      now.resident <= last_.resident + kLittle && std::abs(now.used - last_.used) <= kLittle;
  last_ = now;
  return now.resident - now.used > left_ + kMuch && (rests || now.resident > limit_);
}

}  // namespace prequel
