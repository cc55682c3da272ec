// When a model's next snapshot is due.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "server/engine/options.h"

namespace prequel {

// Of the thread that folds, but for OnStored and OnFailed, which may come from another.
class SnapshotCadence {
 public:
  // `options` outlive it.
  explicit SnapshotCadence(const SnapshotOptions& options) : options_(options) {}

  // One more record has been folded, so long in the log.
  void OnFolded(std::size_t bytes) {
    ++records_;
    bytes_ += static_cast<std::int64_t>(bytes);
  }

  bool due() const {
    const bool enough = (options_.every_batches > 0 && records_ >= options_.every_batches) ||
                        (options_.every_bytes > 0 && bytes_ >= options_.every_bytes);
    return enough && !storing_.load(std::memory_order_relaxed);
  }

  // One of all that has been folded is on its way: no other is due before it has come to its end.
  void OnTaken() {
    records_ = bytes_ = 0;
    storing_ = true;
  }
  void OnStored(std::uint64_t next_offset) {
    stored_offset_ = next_offset;
    storing_ = false;
  }
  void OnFailed() { storing_ = false; }

  // Of the newest snapshot that is certain to be stored; 0 without any: nothing, or the model's
  // first one.
  std::uint64_t stored_offset() const { return stored_offset_; }

 private:
  const SnapshotOptions& options_;
  std::int64_t records_ = 0, bytes_ = 0;  // since the last one
  std::atomic<bool> storing_ = false;
  std::atomic<std::uint64_t> stored_offset_ = 0;
};

}  // namespace prequel
