// Whether a RocksDB has ever failed to write. Internal to the folder.
#pragma once

#include <rocksdb/listener.h>

#include <atomic>

namespace prequel {

// RocksDB 7.8 that has got over a full disk takes no file in any more: IngestExternalFile goes on
// without a number for the file, and an assertion ends the process, in builds that have them.
// RocksDB tells a listener of a failure as it happens, so before it gets over it. Thread-safe.
class RocksFailures final : public rocksdb::EventListener {
 public:
  void OnBackgroundError(rocksdb::BackgroundErrorReason, rocksdb::Status*) override {
    any_.store(true, std::memory_order_relaxed);
  }
  bool any() const { return any_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> any_ = false;
};

}  // namespace prequel
