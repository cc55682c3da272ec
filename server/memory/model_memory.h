// The memory of models: their states, and what they are made of.
#pragma once

#include <cstdint>
#include <utility>

#include "absl/status/statusor.h"
#include "server/sync/mutex.h"

namespace prequel {

// First come, first served. Thread-safe. Outlives its leases.
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
    std::int64_t bytes() const { return bytes_; }

   private:
    friend class ModelMemory;
    Lease(ModelMemory* of, std::int64_t bytes) : of_(of), bytes_(bytes) {}
    ModelMemory* of_ = nullptr;
    std::int64_t bytes_ = 0;
  };

  explicit ModelMemory(std::int64_t limit) : limit_(limit) {}

  // RESOURCE_EXHAUSTED (ShortageOf) when it does not fit.
  absl::StatusOr<Lease> Take(std::int64_t bytes);
  std::int64_t limit() const { return limit_; }
  std::int64_t used() const;

 private:
  void GiveBack(std::int64_t bytes);

  const std::int64_t limit_;
  mutable Mutex mu_;
  std::int64_t used_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace prequel
