// One hosted model: the single writer of its fold, and what others may ask of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/learner/cost.h"
#include "server/engine/actor/heaviness.h"
#include "server/engine/actor/inbox.h"
#include "server/engine/actor/replay.h"
#include "server/engine/actor/scratch_pool.h"
#include "server/engine/actor/snapshot_cadence.h"
#include "server/engine/actor/worker_pool.h"
#include "server/engine/commit/admission.h"
#include "server/engine/commit/committer.h"
#include "server/engine/commit/delivery.h"
#include "server/engine/engine_options.h"
#include "server/engine/fold/model_fold.h"
#include "server/engine/history/capture.h"
#include "server/engine/history/snapshotter.h"
#include "server/engine/learn.h"
#include "server/engine/observer.h"
#include "server/engine/publication.h"
#include "server/memory/model_memory.h"
#include "server/storage/catalogue.h"
#include "server/sync/fair_queue.h"

namespace prequel {

// One model as GetModel and ListModels show it.
struct ModelInfo {
  std::string name;
  TimePoint create_time;
  absl::Status problem;                    // OK: serving
  std::optional<ReplayProgress> replay;    // while it is starting
  std::shared_ptr<const Learner> learner;  // null before it is made, or when it cannot be
  std::optional<LearnerConfig> config;     // as it is stored, where there is no learner
  Published published;                     // `state` is null unless serving
};

// A ModelActor runs on the pool, one turn at a time: first the turns of the replay, then those that
// fold what the committer delivers. Thread-safe unless a method says otherwise.
class ModelActor final : public Sink, public std::enable_shared_from_this<ModelActor> {
 public:
  // All of it outlives the actor.
  struct Parts {
    Log& log;
    const SnapshotStore& snapshots;
    const Codec& codec;
    Admission& admission;
    WorkerPool& pool;
    ScratchPool& scratch;
    Committer& committer;
    Snapshotter& snapshotter;
    ModelMemory& memory;
    const EngineObservers& observers;
    const EngineOptions& options;
  };

  ModelActor(StoredModel stored, const Parts& parts);

  const StoredModel& stored() const { return stored_; }
  Publication& publication() { return *publication_; }
  // REQUIRES: the model serves.
  const ModelCost& cost() const { return *cost_; }
  // Whether the scratch memory of the model is too large to be kept between two turns.
  bool bulky() const { return bulky_; }
  ModelInfo Info() const;
  // See Engine::SetShares.
  void SetShare(int share) { share_ = share; }

  // Exactly one of Start and StartReplay is called, once, before anything below.
  void Start(ModelFold fold, ModelMemory::Lease memory);  // REQUIRES: at offset 0
  void StartReplay(absl::AnyInvocable<void()> done);

  // Submit and AskNext are Engine's Submit and AskNextSequence for this model.
  void Submit(Delivery sent);
  void AskNext(std::string producer, TimePoint deadline, Committer::NextCallback done);

  // RequestSnapshot has a snapshot taken of what has been folded, once a turn comes.
  void RequestSnapshot(SnapshotCallback done);

  // Deliver and Refuse are for the committer.
  void Deliver(std::unique_ptr<Delivery> delivery) override;
  void Refuse(std::unique_ptr<Delivery> delivery, const absl::Status& status) override;

  // Retire: the model was deleted. What is in its log and not folded yet never will be, and is
  // answered `deleted`, as are those who wait for a revision.
  void Retire(const absl::Status& deleted);

  // Abandon answers `unfolded` to what was delivered and not folded, and `stopped` to those who
  // wait for a snapshot or a revision. REQUIRES: the pool has stopped.
  void Abandon(const absl::Status& unfolded, const absl::Status& stopped);
  // LastCapture is what has been folded, unless the newest snapshot has it all: a restart would
  // fold it again. REQUIRES: the pool and the snapshotter have stopped.
  std::optional<Capture> LastCapture() const;

 private:
  // Accept makes the delivery ready for the log, or says why it is not to be there.
  absl::Status Accept(Delivery& delivery);

  // Folded is what has been folded, and is yet to be published and answered.
  struct Folded {
    std::unique_ptr<Delivery> delivery;
    absl::StatusOr<LearnOutcome> outcome;
    EngineObserver::Duration took;
  };

  // A turn is light until it finds a heavy record, which it leaves to a heavy turn. The heavy turn
  // only folds: publishing and answering take locks that all share, which no thread may hold while
  // it waits for a core, so both are left to another light turn. The heavy turn ends when that
  // light turn has ended: so a model whose next record is heavy, too, is in the queue when the next
  // heavy turn is given away.
  using Weight = WorkerPool::Weight;
  void Post(Weight weight, WorkerPool::Task turn);
  void PostReplayTurn(Weight weight);
  void PostLearnTurn();
  void Begin(ModelFold fold);
  void ReplayTurn(Weight weight);
  void FinishReplay(const absl::Status& status);
  void LearnTurn();
  void HeavyTurn();
  ScratchPool::Lease TakeScratch();
  // Work does what it finds to do, for as long as a turn may take. Returns the next turn's weight,
  // if there is more.
  std::optional<Weight> Work(Scratch& scratch);
  void Answer(std::unique_ptr<Delivery> delivery, Scratch& scratch);
  bool IsHeavy(const Delivery& delivery) const;
  Folded Fold(std::unique_ptr<Delivery> delivery, Scratch& scratch);
  void Announce(Folded folded);
  // Repeat answers a delivery that was logged before as it was answered then.
  void Repeat(std::unique_ptr<Delivery> delivery);
  void TakeSnapshot(std::vector<SnapshotCallback> done);

  // Constant after construction.
  const StoredModel stored_;
  const Parts parts_;

  // Thread-safe by themselves.
  const std::shared_ptr<Publication> publication_;
  std::optional<ModelCost> cost_;  // made once, before the first state is published
  Inbox inbox_;
  Admission::Account account_;
  std::atomic<bool> bulky_ = false;
  std::atomic<int> share_ = kEvenShare;
  absl::Status gone_;  // why it is retired; set before that, once
  std::atomic<bool> retired_ = false;

  // Owned by the turn that is running.
  std::optional<Replay> replay_;
  absl::AnyInvocable<void()> replay_done_;
  std::optional<ModelFold> fold_;
  SnapshotCadence cadence_;
  ModelMemory::Lease memory_;
  Heaviness heaviness_;
  // left_ and folded_ pass between light and heavy turns: what is to be folded, then what has been.
  std::unique_ptr<Delivery> left_;
  std::optional<Folded> folded_;
};

}  // namespace prequel
