// When a model's next snapshot is due.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "server/engine/engine_options.h"

namespace prequel {

// A SnapshotCadence is used by the thread that folds, except for OnStored and OnFailed, which may
// be called on another.
class SnapshotCadence {
 public:
  // `options` outlive it.
  explicit SnapshotCadence(const SnapshotOptions& options) : options_(options) {}

  // OnFolded: one more record has been folded, with a payload of `bytes` in the log.
  void OnFolded(std::size_t bytes) {
    ++records_;
    bytes_ += static_cast<std::int64_t>(bytes);
  }

  bool due() const {
    const bool enough = (options_.every_batches > 0 && records_ >= options_.every_batches) ||
                        (options_.every_bytes > 0 && bytes_ >= options_.every_bytes);
    return enough && !storing_.load(std::memory_order_relaxed);
  }

  // OnTaken: a snapshot of all that has been folded is on its way. No other is due before it has
  // been stored or has failed.
  void OnTaken() {
    records_ = bytes_ = 0;
    storing_ = true;
  }
  void OnStored(std::uint64_t next_offset) {
    stored_offset_ = next_offset;
    storing_ = false;
  }
  void OnFailed() { storing_ = false; }

  // The next offset of the newest snapshot that is certain to be stored. 0 without any: then either
  // nothing is stored, or the snapshot that the model began with.
  std::uint64_t stored_offset() const { return stored_offset_; }

 private:
  const SnapshotOptions& options_;
  std::int64_t records_ = 0, bytes_ = 0;  // since the last one
  std::atomic<bool> storing_ = false;
  std::atomic<std::uint64_t> stored_offset_ = 0;
};

}  // namespace prequel
