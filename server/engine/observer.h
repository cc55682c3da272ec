// What the engine tells about itself, for metrics and health.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "core/linalg/types.h"

namespace prequel {

// An EngineObserver is called on the engine's threads (and the callers'), several at once:
// implementations are thread-safe, do not block and do not call the engine. The default ignores
// everything.
class EngineObserver {
 public:
  using Duration = std::chrono::nanoseconds;

  virtual ~EngineObserver() = default;

  // A submitted minibatch was not logged: bad input, full queue, expired deadline, failed write.
  virtual void OnRefused(std::string_view /*model*/, const absl::Status&) {}
  // Minibatches accepted and not yet answered, over all models, after each change.
  virtual void OnQueueDepth(std::size_t /*batches*/, std::size_t /*bytes*/) {}
  // One group commit, successful or not: its duration includes the sync.
  virtual void OnCommit(std::size_t /*batches*/, std::size_t /*bytes*/, Duration,
                        const absl::Status&) {}
  // A logged minibatch was folded in (OK) or could not be (the state stayed as it was).
  virtual void OnUpdate(std::string_view /*model*/, Index /*rows*/, Duration, const absl::Status&) {
  }
  // Rows of a minibatch that was folded in were refused: their labels are no classes.
  virtual void OnRowsRefused(std::string_view /*model*/, Index /*rows*/) {}
  virtual void OnPredict(std::string_view /*model*/, Index /*rows*/, Duration,
                         const absl::Status&) {}

  // A snapshot of `model` was stored (OK), or could not be.
  virtual void OnSnapshot(std::string_view /*model*/, std::uint64_t /*bytes*/, Duration,
                          const absl::Status&) {}

  // Start-up: a snapshot of `model` cannot be used, and why; the one before it is tried.
  virtual void OnSnapshotLost(std::string_view /*model*/, const absl::Status&) {}
  // Start-up: `records` of `model`'s log have been replayed so far.
  virtual void OnReplayProgress(std::string_view /*model*/, std::uint64_t /*records*/) {}
  // The model serves (OK), or does not and why.
  virtual void OnReplayDone(std::string_view /*model*/, const absl::Status&) {}
};

// All who listen, in one list. They outlive it.
class EngineObservers {
 public:
  explicit EngineObservers(std::vector<EngineObserver*> all) : all_(std::move(all)) {}

  // observers.Tell(&EngineObserver::OnSnapshotLost, model, status) tells each of them.
  template <class... Parameters, class... Arguments>
  void Tell(void (EngineObserver::*what)(Parameters...), const Arguments&... arguments) const {
    for (EngineObserver* observer : all_) (observer->*what)(arguments...);
  }

 private:
  const std::vector<EngineObserver*> all_;
};

}  // namespace prequel
