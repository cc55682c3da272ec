#include "server/memory/model_memory.h"

#include "server/memory/shortage.h"

namespace prequel {

absl::StatusOr<ModelMemory::Lease> ModelMemory::Take(std::int64_t bytes) {
  MutexLock lock(mu_);
  if (bytes > limit_ - used_) {
    return ShortageError({.budget = "models", .wanted = bytes, .used = used_, .limit = limit_});
  }
  used_ += bytes;
  return Lease(this, bytes);
}

std::int64_t ModelMemory::used() const {
  MutexLock lock(mu_);
  return used_;
}

void ModelMemory::GiveBack(std::int64_t bytes) {
  MutexLock lock(mu_);
  used_ -= bytes;
}

}  // namespace prequel
