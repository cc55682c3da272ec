// Scratch memory for updates and queries, kept warm between them.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "core/learner/learner.h"
#include "server/sync/mutex.h"

namespace prequel {

// Thread-safe. Outlives its leases.
class ScratchPool {
 public:
  class Lease {
   public:
    Lease(ScratchPool* pool, Scratch scratch) : pool_(pool), scratch_(std::move(scratch)) {}
    Lease(Lease&& other) noexcept
        : pool_(std::exchange(other.pool_, nullptr)), scratch_(std::move(other.scratch_)) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (pool_ != nullptr) pool_->Return(std::move(scratch_));
    }
    Scratch& operator*() { return scratch_; }
    // Discard: the scratch has grown too large to be kept.
    void Discard() { pool_ = nullptr; }

   private:
    ScratchPool* pool_;
    Scratch scratch_;
  };

  // Keeps up to `max_free`; beyond that, memory is given back.
  explicit ScratchPool(std::size_t max_free) : max_free_(max_free) {}

  Lease Take() {
    std::optional<Scratch> scratch;
    {
      MutexLock lock(mu_);
      if (!free_.empty()) {
        scratch.emplace(std::move(free_.back()));  // the one used last: it fits and is in cache
        free_.pop_back();
      }
    }
    return Lease(this, scratch.has_value() ? *std::move(scratch) : Scratch());
  }

 private:
  void Return(Scratch scratch) {
    MutexLock lock(mu_);
    if (free_.size() < max_free_) free_.push_back(std::move(scratch));
  }

  const std::size_t max_free_;
  Mutex mu_;
  std::vector<Scratch> free_ ABSL_GUARDED_BY(mu_);
};

}  // namespace prequel
