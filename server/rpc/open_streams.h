// The streams that are open, so that a server that stops can end them.
#pragma once

#include <chrono>
#include <cstddef>
#include <limits>
#include <set>

#include "server/sync/mutex.h"

namespace prequel {

class DrainableStream {
 public:
  // Stop reading; end once everything that was read is answered. Must not block.
  virtual void Drain() = 0;
  // The same unless the policy still has the caller. Must not block.
  virtual void Revisit() = 0;

 protected:
  ~DrainableStream() = default;
};

// Thread-safe.
class OpenStreams {
 public:
  enum class Added { kYes, kDraining, kTooMany };

  OpenStreams() = default;
  // At most so many at once.
  explicit OpenStreams(std::size_t most) : most_(most) {}

  // Unless it is kYes the stream is not added.
  Added Add(DrainableStream* stream) {
    MutexLock lock(mu_);
    if (draining_) return Added::kDraining;
    if (streams_.size() >= most_) return Added::kTooMany;
    streams_.insert(stream);
    return Added::kYes;
  }

  // On return nothing uses `stream` any more.
  void Remove(DrainableStream* stream) {
    MutexLock lock(mu_);
    streams_.erase(stream);
    removed_.NotifyAll();
  }

  void Drain() {
    MutexLock lock(mu_);
    draining_ = true;
    for (DrainableStream* stream : streams_) stream->Drain();
  }

  void Revisit() {
    MutexLock lock(mu_);
    for (DrainableStream* stream : streams_) stream->Revisit();
  }

  // Waits until no stream is open, or for `deadline`.
  void AwaitNone(std::chrono::system_clock::time_point deadline) {
    MutexLock lock(mu_);
    while (!streams_.empty() && removed_.WaitUntil(mu_, deadline)) {
    }
  }

 private:
  const std::size_t most_ = std::numeric_limits<std::size_t>::max();
  Mutex mu_;
  CondVar removed_;
  std::set<DrainableStream*> streams_ ABSL_GUARDED_BY(mu_);
  bool draining_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace prequel
