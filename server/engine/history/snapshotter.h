// Writes snapshots: one thread, one at a time, beside learning and reading.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/engine/clock.h"
#include "server/engine/engine_options.h"
#include "server/engine/history/capture.h"
#include "server/engine/observer.h"
#include "server/storage/log.h"
#include "server/storage/snapshot_store.h"
#include "server/sync/mutex.h"

namespace prequel {

using SnapshotCallback = absl::AnyInvocable<void(const absl::StatusOr<StoredSnapshot>&)>;

// Snapshotter has a thread of its own, so that no worker is kept from folding while a large state
// is written. It writes one snapshot at a time, so that at most one state is in memory twice.
// Thread-safe.
class Snapshotter {
 public:
  // All arguments except the options outlive it.
  Snapshotter(SnapshotStore& store, Log& log, const Clock& clock, const EngineObservers& observers,
              const SnapshotOptions& options);
  ~Snapshotter() { Stop(); }
  Snapshotter(const Snapshotter&) = delete;
  Snapshotter& operator=(const Snapshotter&) = delete;

  // Enqueue never blocks; a model has at most one automatic capture and those asked for in the
  // queue. `done` is called once, on the snapshotter's thread or, when refused, on the caller's.
  void Enqueue(Capture capture, SnapshotCallback done);

  // Stores `capture` on the caller's thread. REQUIRES: stopped.
  absl::StatusOr<StoredSnapshot> Take(const Capture& capture);

  // Distrust: the snapshot of `model` at `next_offset` could not be read, and counts for nothing
  // from now on.
  void Distrust(ModelId model, std::uint64_t next_offset);

  // Forbid: nothing of `model` is written from now on. What waits is answered NOT_FOUND, and so is
  // what is being written unless it is finished first. Allow undoes it. REQUIRES: not called by a
  // callback.
  void Forbid(ModelId model);
  void Allow(ModelId model);

  // Stop ends what is being written and answers the rest with UNAVAILABLE. REQUIRES: not called by
  // a callback, nor by two threads at once.
  void Stop();

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;
  struct Job {
    Capture capture;
    SnapshotCallback done;
  };

  void Run();
  // List gives the snapshots of `model` that are trusted, oldest first; the offsets of all others
  // go to `drop`.
  absl::StatusOr<std::vector<StoredSnapshot>> List(ModelId model, std::vector<std::uint64_t>* drop);
  absl::StatusOr<StoredSnapshot> Write(const Capture& capture);
  // Truncate forgets the records of `log` that come before the oldest of `kept`, its snapshots,
  // oldest first, when there are as many of them as the options say.
  void Truncate(LogId log, const std::vector<StoredSnapshot>& kept);
  // Pace sleeps until `bytes` since `start` are no more than the options allow. NOT_FOUND once the
  // model is forbidden.
  absl::Status Pace(const Capture& capture, SteadyTime start, std::uint64_t bytes);

  // Constant after construction.
  SnapshotStore& store_;
  Log& log_;
  const Clock& clock_;
  const EngineObservers& observers_;
  const SnapshotOptions options_;

  Mutex mu_;
  CondVar wake_, idle_;
  std::deque<Job> jobs_ ABSL_GUARDED_BY(mu_);
  ModelId writing_ ABSL_GUARDED_BY(mu_){};  // models count from 1
  std::set<ModelId> forbidden_ ABSL_GUARDED_BY(mu_);
  std::set<std::pair<ModelId, std::uint64_t>> distrusted_ ABSL_GUARDED_BY(mu_);
  bool stopped_ ABSL_GUARDED_BY(mu_) = false;

  std::thread thread_;
};

}  // namespace prequel
