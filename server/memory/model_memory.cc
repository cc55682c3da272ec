#include "server/memory/model_memory.h"

#include "server/memory/shortage.h"

namespace prequel {

absl::StatusOr<ModelMemory::Lease> ModelMemory::Take(const ModelBytes& bytes) {
  MutexLock lock(mu_);
  const std::int64_t before = UsedLocked();
  // Estimates may be as large as numbers go: these are told before anything is added.
  if (bytes.held <= limit_ - before && bytes.working <= limit_) {
    held_ += bytes.held;
    working_.insert(bytes.working);
    if (UsedLocked() <= limit_) return Lease(this, bytes);
    Remove(bytes);
  }
  return ShortageError(
      {.budget = "models", .wanted = bytes.held + bytes.working, .used = before, .limit = limit_});
}

std::int64_t ModelMemory::used() const {
  MutexLock lock(mu_);
  return UsedLocked();
}

std::int64_t ModelMemory::UsedLocked() const {
  std::int64_t used = held_;
  std::size_t left = at_once_;
  for (auto it = working_.begin(); it != working_.end() && left > 0; ++it, --left) used += *it;
  return used;
}

void ModelMemory::Remove(const ModelBytes& bytes) {
  held_ -= bytes.held;
  working_.erase(working_.find(bytes.working));
}

void ModelMemory::GiveBack(const ModelBytes& bytes) {
  MutexLock lock(mu_);
  Remove(bytes);
}

}  // namespace prequel
