// The streams that are open, so that a server that stops can end them.
#pragma once

#include <chrono>
#include <cstddef>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "server/sync/mutex.h"

namespace prequel {

class DrainableStream {
 public:
  // Drain: stop reading; end once everything that was read is answered. Must not block.
  virtual void Drain() = 0;
  // Revisit: end as for Drain when the policy no longer has the caller, else go on. Must not block.
  virtual void Revisit() = 0;

 protected:
  ~DrainableStream() = default;
};

// Thread-safe.
class OpenStreams {
 public:
  enum class Added { kYes, kDraining, kTooMany };

  OpenStreams() = default;
  // At most `most` streams are open at once. One caller may have as many as it leaves free, so half
  // of them where nobody else has any.
  explicit OpenStreams(std::size_t most) : most_(most) {}

  // Add adds the stream only when it returns kYes.
  Added Add(DrainableStream* stream, std::string caller) {
    MutexLock lock(mu_);
    if (draining_) return Added::kDraining;
    const auto of_caller = of_.find(caller);
    const std::size_t had = of_caller == of_.end() ? 0 : of_caller->second;
    if (had >= most_ - streams_.size()) return Added::kTooMany;
    ++of_[caller];
    streams_.emplace(stream, std::move(caller));
    return Added::kYes;
  }

  // Remove returns once nothing uses `stream` any more.
  void Remove(DrainableStream* stream) {
    MutexLock lock(mu_);
    const auto it = streams_.find(stream);
    if (it == streams_.end()) return;
    const auto of_caller = of_.find(it->second);
    if (--of_caller->second == 0) of_.erase(of_caller);
    streams_.erase(it);
    removed_.NotifyAll();
  }

  void Drain() {
    MutexLock lock(mu_);
    draining_ = true;
    for (const auto& [stream, caller] : streams_) stream->Drain();
  }

  void Revisit() {
    MutexLock lock(mu_);
    for (const auto& [stream, caller] : streams_) stream->Revisit();
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
  std::map<DrainableStream*, std::string> streams_ ABSL_GUARDED_BY(mu_);  // and whose they are
  std::map<std::string, std::size_t> of_ ABSL_GUARDED_BY(mu_);  // how many each caller has
  bool draining_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace prequel
