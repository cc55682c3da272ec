// The memory of models: their states, what they are made of, and what they work with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <utility>

#include "absl/status/statusor.h"
#include "server/sync/mutex.h"

namespace prequel {

// What one model takes.
struct ModelBytes {
  std::int64_t held = 0;     // from when it is made on
  std::int64_t working = 0;  // beside that, while it learns
};

// ModelMemory is given first come, first served. Each model's `held` is counted, and the largest of
// their `working`, as many as models work at a time: that memory passes from one to the next.
// Thread-safe. Outlives its leases.
class ModelMemory {
 public:
  // What one model has; gives it back when destroyed.
  class Lease {
   public:
    Lease() = default;
    Lease(Lease&& other) noexcept { *this = std::move(other); }
    Lease& operator=(Lease&& other) noexcept {
      std::swap(of_, other.of_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Lease() {
      if (of_ != nullptr) of_->GiveBack(bytes_);
    }

   private:
    friend class ModelMemory;
    Lease(ModelMemory* of, const ModelBytes& bytes) : of_(of), bytes_(bytes) {}
    ModelMemory* of_ = nullptr;
    ModelBytes bytes_;
  };

  // `at_once`: how many models work at a time.
  ModelMemory(std::int64_t limit, std::size_t at_once) : limit_(limit), at_once_(at_once) {}

  // RESOURCE_EXHAUSTED (ShortageOf) when it does not fit.
  absl::StatusOr<Lease> Take(const ModelBytes& bytes);
  std::int64_t limit() const { return limit_; }
  std::int64_t used() const;

 private:
  void GiveBack(const ModelBytes& bytes);
  void Remove(const ModelBytes& bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  std::int64_t UsedLocked() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const std::int64_t limit_;
  const std::size_t at_once_;
  mutable Mutex mu_;
  std::int64_t held_ ABSL_GUARDED_BY(mu_) = 0;
  std::multiset<std::int64_t, std::greater<>> working_ ABSL_GUARDED_BY(mu_);
};

}  // namespace prequel
