// One hosted model: its single writer's queue and fold, and what readers see of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/engine/codec.h"
#include "server/engine/history.h"
#include "server/engine/learner_fold.h"
#include "server/engine/observer.h"
#include "server/engine/options.h"
#include "server/engine/pending_batch.h"
#include "server/engine/scratch_pool.h"
#include "server/engine/sequencer.h"
#include "server/engine/snapshot.h"
#include "server/engine/snapshotter.h"
#include "server/engine/worker_pool.h"
#include "server/storage/catalogue.h"
#include "server/sync/mutex.h"

namespace prequel {

// Thread-safe unless a method says otherwise. Runs on the pool, one turn at a time: first the
// turns of the replay, then those that fold what the committer delivers.
class ModelActor : public std::enable_shared_from_this<ModelActor> {
 public:
  // All of it outlives the actor.
  struct Parts {
    Log& log;
    const SnapshotStore& snapshots;
    const Codec& codec;
    WorkerPool& pool;
    ScratchPool& scratch;
    Snapshotter& snapshotter;
    EngineObserver& observer;
    const SnapshotOptions& options;
  };

  // What a reader works with: immutable.
  struct View {
    std::shared_ptr<const Learner> learner;
    Snapshot snapshot;
  };

  ModelActor(StoredModel stored, const Parts& parts);

  const std::string& name() const { return stored_.name; }
  ModelId id() const { return stored_.id; }
  LogId log() const { return stored_.log; }
  Admission::Account& account() { return account_; }
  bool from_snapshot() const { return stored_.from_snapshot; }
  const std::string& config_bytes() const { return stored_.config; }
  History history() const {
    return {parts_.log, parts_.snapshots, parts_.codec, id(), log(), stored_.from_snapshot};
  }

  // Exactly one of these is called, once, before anything below.
  void Start(LearnerFold fold);  // REQUIRES: at offset 0
  void StartReplay(absl::AnyInvocable<void()> done);

  // OK, or why the model cannot be read now (UNAVAILABLE: replaying; else its problem).
  absl::StatusOr<View> Read() const;
  // The same for learning, which a deletion under way refuses, too.
  absl::StatusOr<std::shared_ptr<const Learner>> CheckLearning() const;
  ModelInfo Info() const;

  // No new minibatch is let in; undone when the deletion fails.
  void SetDeleting(bool deleting);

  // The committer's alone: which minibatches are in the log. Set before CheckLearning is OK.
  Sequencer sequencer;

  // Hands over a minibatch that is in the log. REQUIRES: in log order, from the committer.
  void Deliver(std::unique_ptr<PendingBatch> batch);
  // Answers all that was delivered and not folded. REQUIRES: the pool has stopped.
  void Abandon(const absl::Status& status);

  // Takes a snapshot of what has been folded, once the turn comes.
  void RequestSnapshot(SnapshotCallback done);
  // What a snapshot would save a restart from folding again, if anything. REQUIRES: the pool and
  // the snapshotter have stopped.
  std::optional<Capture> LastCapture() const;

 private:
  enum class Stage { kReplaying, kServing, kBroken };

  void Post(void (ModelActor::*turn)());
  // What a turn finds to do.
  struct Work {
    std::unique_ptr<PendingBatch> batch;  // may be null
    std::vector<SnapshotCallback> snapshots;
  };
  void LearnTurn();
  void Fold(std::unique_ptr<PendingBatch> batch, Scratch& scratch);
  void Learn(std::unique_ptr<PendingBatch> batch, Scratch& scratch);
  void Rollback(std::unique_ptr<PendingBatch> batch);
  void Refuse(std::unique_ptr<PendingBatch> batch);
  // Shows readers what the fold has come to.
  void Publish();
  std::optional<Work> NextOrSleep();
  Capture MakeCapture() const;
  void TakeSnapshot(std::vector<SnapshotCallback> done);
  bool SnapshotDue() const;
  void Folded(std::size_t bytes);
  absl::Status CheckReadable() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  absl::Status PrepareReplay();
  absl::Status RestoreFold(const std::shared_ptr<const Learner>& learner);
  void ReplayTurn();
  void FinishReplay(const absl::Status& status);

  // Constant after construction.
  const StoredModel stored_;
  const Parts parts_;

  Admission::Account account_;  // guarded by the Admission

  // Owned by the turn that is running.
  std::optional<LearnerFold> fold_;
  absl::AnyInvocable<void()> replay_done_;
  std::unique_ptr<Follower> follower_;  // while it replays
  std::int64_t batches_since_snapshot_ = 0;
  std::int64_t bytes_since_snapshot_ = 0;

  // Of the newest snapshot that is certain to be stored; 0 without any: nothing, or the model's
  // first one.
  std::atomic<std::uint64_t> stored_offset_ = 0;
  // A snapshot that was due is being stored: no other is due before it is.
  std::atomic<bool> storing_ = false;

  mutable Mutex mu_;
  Stage stage_ ABSL_GUARDED_BY(mu_) = Stage::kReplaying;
  absl::Status problem_ ABSL_GUARDED_BY(mu_);  // kBroken
  bool deleting_ ABSL_GUARDED_BY(mu_) = false;
  View published_ ABSL_GUARDED_BY(mu_);
  std::deque<std::unique_ptr<PendingBatch>> inbox_ ABSL_GUARDED_BY(mu_);
  std::vector<SnapshotCallback> snapshot_requests_ ABSL_GUARDED_BY(mu_);
  bool abandoned_ ABSL_GUARDED_BY(mu_) = false;
  bool scheduled_ ABSL_GUARDED_BY(mu_) = false;  // a learning turn is posted or running
};

}  // namespace prequel
