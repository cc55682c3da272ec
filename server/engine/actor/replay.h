// A model's start: its configuration, its newest snapshot that can be read, and all that follows it
// in the log.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/learner/cost.h"
#include "core/learner/learner.h"
#include "server/engine/actor/heaviness.h"
#include "server/engine/actor/snapshot_cadence.h"
#include "server/engine/codec.h"
#include "server/engine/fold/model_fold.h"
#include "server/engine/fold/origin.h"
#include "server/engine/history/snapshotter.h"
#include "server/engine/observer.h"
#include "server/engine/publication.h"
#include "server/engine/records/record.h"
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

  // Step does a part of the replay, short enough to let other models have the thread in between: as
  // many records as are folded in a few milliseconds, and always one. What takes longer is left to
  // a step that may be `heavy`. The error is why the model cannot be served.
  absl::StatusOr<Follower::Progress> Step(Scratch& scratch, bool heavy);

  // The learner; null until the configuration has been read.
  const std::shared_ptr<const Learner>& learner() const { return learner_; }
  ReplayProgress progress() const;
  // REQUIRES: Step has caught up with the log.
  ModelFold TakeFold() && { return *std::move(fold_); }
  // The memory that the model holds; none before its configuration has been looked at.
  ModelMemory::Lease TakeMemory() { return std::move(memory_); }
  // Whether the next step must be heavy to get on.
  bool heavy() const { return heavy_; }

 private:
  // A record that has been read.
  struct Read {
    Record record;
    Origin origin;
    std::int64_t time_us;
    double seconds;  // to fold it, by estimate
  };

  absl::Status Reserve();
  absl::Status Prepare();
  absl::Status Restore();
  absl::StatusOr<Follower::Progress> Follow(Scratch& scratch, bool heavy);
  void Fold(Read read, Scratch& scratch);
  // SkipWhatIsLost: the log has lost records that the snapshot has.
  absl::StatusOr<Follower::Progress> SkipWhatIsLost();

  const Parts parts_;
  std::shared_ptr<const Learner> learner_;
  std::optional<ModelFold> fold_;
  std::unique_ptr<Follower> follower_;
  std::uint64_t begin_ = 0, end_ = 0;  // offsets in the log, when it began to follow
  ModelMemory::Lease memory_;
  std::optional<ModelCost> cost_;
  bool reserved_ = false;
  std::optional<Read> left_;  // the next record, too heavy for the step that has read it
  Heaviness heaviness_;
  bool heavy_ = false;
};

}  // namespace prequel
