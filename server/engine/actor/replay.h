// A model's start: its configuration, its newest snapshot that can be read, and all that follows it
// in the log.
#pragma once

#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/learner/learner.h"
#include "server/engine/actor/snapshot_cadence.h"
#include "server/engine/codec.h"
#include "server/engine/fold/model_fold.h"
#include "server/engine/history/snapshotter.h"
#include "server/engine/observer.h"
#include "server/memory/model_memory.h"
#include "server/storage/catalogue.h"
#include "server/storage/log.h"
#include "server/storage/snapshot_store.h"

namespace prequel {

// One thread at a time.
class Replay {
 public:
  // All of it outlives this.
  struct Parts {
    const StoredModel& model;
    Log& log;
    const SnapshotStore& snapshots;
    const Codec& codec;
    Snapshotter& snapshotter;
    ModelMemory& memory;
    SnapshotCadence& cadence;
    const EngineObservers& observers;
  };

  explicit Replay(const Parts& parts) : parts_(parts) {}

  // Does a part of it, short enough to let other models have the thread in between: as many records
  // as are folded in a few milliseconds, and always one. The error is why the model cannot be
  // served.
  absl::StatusOr<Follower::Progress> Step(Scratch& scratch);

  // Null until the configuration has been read.
  const std::shared_ptr<const Learner>& learner() const { return learner_; }
  // REQUIRES: caught up.
  ModelFold TakeFold() && { return *std::move(fold_); }
  // What the model holds; none before the configuration has been read.
  ModelMemory::Lease TakeMemory() { return std::move(memory_); }
  // Whether one record takes longer than a step should.
  bool heavy() const { return heavy_; }

 private:
  absl::Status Prepare();
  absl::Status Restore();
  // The log has lost records, which the snapshot has.
  absl::StatusOr<Follower::Progress> SkipWhatIsLost();

  const Parts parts_;
  std::shared_ptr<const Learner> learner_;
  std::optional<ModelFold> fold_;
  std::unique_ptr<Follower> follower_;
  ModelMemory::Lease memory_;
  std::size_t limit_ = 1;  // records in the next step
  bool heavy_ = false;
};

}  // namespace prequel
