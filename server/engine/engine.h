// Hosts models: each is a fold over its log, kept by one writer and read by any number of readers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/config/batch.h"
#include "core/config/learner_config.h"
#include "core/predictive/query_set.h"
#include "server/engine/actor/model_actor.h"
#include "server/engine/actor/readiness.h"
#include "server/engine/actor/registry.h"
#include "server/engine/actor/scratch_pool.h"
#include "server/engine/actor/worker_pool.h"
#include "server/engine/clock.h"
#include "server/engine/codec.h"
#include "server/engine/commit/admission.h"
#include "server/engine/commit/committer.h"
#include "server/engine/commit/delivery.h"
#include "server/engine/engine_options.h"
#include "server/engine/fold/model_fold.h"
#include "server/engine/history/history.h"
#include "server/engine/history/model_file.h"
#include "server/engine/history/snapshotter.h"
#include "server/engine/learn.h"
#include "server/engine/observer.h"
#include "server/engine/publication.h"
#include "server/engine/question.h"
#include "server/engine/still_wanted.h"
#include "server/memory/model_memory.h"
#include "server/storage/catalogue.h"
#include "server/storage/log.h"
#include "server/storage/snapshot_store.h"
#include "server/sync/mutex.h"

namespace prequel {

// Engine is thread-safe. Errors shared by all methods that take a model's name: NOT_FOUND;
// UNAVAILABLE while its log is being replayed and after Shutdown; the stored problem (DATA_LOSS, …)
// when it could not be replayed.
class Engine {
 public:
  // The outside world; all of it must outlive the engine.
  struct Parts {
    Catalogue& catalogue;
    Log& log;
    SnapshotStore& snapshots;
    const Codec& codec;
    const Clock& clock;
    std::vector<EngineObserver*> observers;  // in the order in which they are told
  };

  // Create lists the stored models and starts to replay them in the background.
  static absl::StatusOr<std::unique_ptr<Engine>> Create(const EngineOptions& options,
                                                        const Parts& parts);

  // Shutdown(now). No other method may be running.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Whether every stored model has been replayed or found unreadable.
  bool ready() const { return readiness_.ready(); }
  void AwaitReady() const { readiness_.Await(); }  // or until Shutdown

  // CreateModel makes a model that is durable once it returns OK, with every default of `config`
  // filled in. INVALID_ARGUMENT for a name other than [a-z][a-z0-9-]{0,62} ("model_id") or a bad
  // configuration, ALREADY_EXISTS, RESOURCE_EXHAUSTED beyond max_models.
  absl::StatusOr<ModelInfo> CreateModel(std::string_view name, const LearnerConfig& config);
  // GetModel answers also for a model that does not serve: see ModelInfo::problem.
  absl::StatusOr<ModelInfo> GetModel(std::string_view name) const;
  // ListModels gives up to `limit` models whose names sort after `after`, in order.
  std::vector<ModelInfo> ListModels(std::string_view after, int limit) const;
  // DeleteModel is durable once it returns OK. Minibatches not yet logged are answered NOT_FOUND. A
  // model that does not serve can be deleted.
  absl::Status DeleteModel(std::string_view name);

  // Submit checks the delivery, whose first group of fields the sender has given, on the caller's
  // thread, queues it, and returns. Its `done` is called exactly once: on the caller's thread
  // before Submit returns when the minibatch is refused at once, else on a thread of the engine,
  // once it is on disk and folded in. Minibatches of one model that are submitted one after the
  // other are logged, folded and answered in that order, save for those refused. `done` must not
  // block, nor call Shutdown or DeleteModel.
  //
  // A minibatch whose origin is known is learned once, however often it is submitted; a repeat gets
  // the earlier answer (see LearnOutcome::repeated), also while that one is still under way.
  // OUT_OF_RANGE: the number leaves a gap, or its answer is forgotten (engine/fold/origin.h).
  //
  // INVALID_ARGUMENT for what CheckBatch refuses, RESOURCE_EXHAUSTED for a full queue,
  // DEADLINE_EXCEEDED if the deadline passed before it was logged, UNAVAILABLE when stopping or
  // when the store refuses writes: in all these the minibatch is not in the log (though with
  // INVALID_ARGUMENT, when it is numbered, its refusal is). UNKNOWN: the write failed; a restart
  // will tell, or, when the disk was full, Store::Recover: then it is not in the log. Any other
  // error: logged, but the update failed, as it will in every replay; the state stayed as it was.
  void Submit(std::string_view name, Delivery delivery);
  // This Submit is for the model that `question` asks, and answers `question` as well, of the rows
  // of the minibatch before they are learned.
  void Submit(const Question& question, Delivery delivery);

  // AskNextSequence asks for the number that `producer` is to go on with, behind all that was
  // submitted before. `done` is called as for Submit; DEADLINE_EXCEEDED when the question's turn
  // comes too late.
  void AskNextSequence(std::string_view name, std::string producer, TimePoint deadline,
                       Committer::NextCallback done);

  // CreateSnapshot stores what has been folded so far, beside learning and reading; a model whose
  // newest snapshot has it all keeps that one. Each call that waits may hold a state: callers bound
  // how many do. `done` is called exactly once, on the caller's thread or one of the engine's; as
  // for Submit.
  void CreateSnapshot(std::string_view name, SnapshotCallback done);

  // ListRevisions gives the revisions that Rollback, Fork, Export and Answer can reach. Reads the
  // store.
  absl::StatusOr<Revisions> ListRevisions(std::string_view name) const;

  // Rollback, Fork and Export fold on the caller's thread what lies between the snapshot before
  // `revision` and `revision`, and answer OUT_OF_RANGE for a revision that is no longer kept or yet
  // to come. Without a revision they take the newest. Nothing has changed when they end because the
  // answer is not wanted any more.
  //
  // Rollback goes on from the state of then, as a new revision: a record of the log like any other.
  // What producers have sent stays counted.
  absl::StatusOr<ModelInfo> Rollback(std::string_view name, std::int64_t revision,
                                     const StillWanted& wanted = {});
  // Fork makes a new model `fork` that begins with that state; or, with a `config`, with what that
  // makes of the same data, folded from the log's beginning: FAILED_PRECONDITION when the log no
  // longer holds all of them.
  absl::StatusOr<ModelInfo> Fork(std::string_view name, std::optional<std::int64_t> revision,
                                 std::string_view fork, const LearnerConfig* config,
                                 const StillWanted& wanted = {});
  // Export gives the model as a file, and Import makes a new model of a file.
  absl::StatusOr<ModelFile> Export(std::string_view name, std::optional<std::int64_t> revision,
                                   const StillWanted& wanted = {}) const;
  absl::StatusOr<ModelInfo> Import(std::string_view name, const ModelFile& file);

  // GetPublished gives the newest published state; it never waits for a writer. Holding the result
  // does not hold up learning.
  absl::StatusOr<Published> GetPublished(std::string_view name) const;

  // AwaitRevision calls `then` once the published state is of `revision` or beyond: with OK, at
  // once if it is; else with what keeps the model from being read, NOT_FOUND when it is deleted,
  // UNAVAILABLE when the engine stops. `then` is called on the caller's thread or one of the
  // engine's; as for Submit. Waiting costs nothing.
  Subscription AwaitRevision(std::string_view name, std::int64_t revision,
                             Publication::Then then) const;

  // Ask makes a question about `rows`; INVALID_ARGUMENT names what is wrong with the options, or
  // "batch" where the answer would be too large or take too long. In the second form the options
  // depend on the model's learner.
  absl::StatusOr<Question> Ask(std::string_view name, const PredictOptions& options,
                               const RowsAsked& rows) const;
  using OptionsOf = absl::FunctionRef<absl::StatusOr<PredictOptions>(const Learner&)>;
  absl::StatusOr<Question> Ask(std::string_view name, OptionsOf options,
                               const RowsAsked& rows) const;

  // Answer computes, on the caller's thread, what the newest published state of the question's
  // model predicts; with a revision, what the state of then does, as far as it is kept. The answer
  // is computed in pieces: before each, `proceed` is asked whether to go on, or `wanted` where
  // there is no `proceed`.
  absl::StatusOr<PredictOutcome> Answer(const Question& question, const Batch& batch,
                                        std::optional<std::int64_t> revision = std::nullopt,
                                        const StillWanted& wanted = {},
                                        const StillWanted& proceed = {}) const;

  // SetShares says how the processor time of learning is divided among models: `share_of` a name is
  // 1 to 1000, and a model with twice the share of another learns twice as much when both have
  // enough to do. `share_of` is asked at once for the models that there are and later for each that
  // is made, so SetShares is called again when shares change; `share_of` must not call the engine.
  // Until SetShares is called all have kEvenShare. Nothing that is learned depends on shares.
  using ShareOf = std::function<int(std::string_view model)>;
  void SetShares(ShareOf share_of);

  // How much memory models take, by estimate, and how much they may.
  const ModelMemory& memory() const { return memory_; }

  // Shutdown refuses new minibatches, waits for those accepted until `deadline`, then answers the
  // rest: UNAVAILABLE when not logged, UNKNOWN when logged but not folded. Until `deadline` it also
  // takes a snapshot of every model that has folded something since its last one. On return every
  // callback has returned and nothing will touch the store any more. Models can still be read.
  void Shutdown(TimePoint deadline);

 private:
  // A model that serves.
  struct Source {
    Registry::Entry model;
    Publication::View view;
  };

  // A model as it was, with the memory that it takes for as long as somebody has it.
  struct Past {
    ModelMemory::Lease memory;
    ModelFold fold;
  };

  Engine(const EngineOptions& options, const Parts& parts);
  ModelActor::Parts actor_parts();
  absl::Status StartReplay();
  static absl::StatusOr<Source> SourceOf(Registry::Entry model);
  absl::StatusOr<Source> FindSource(std::string_view name) const;
  absl::StatusOr<Past> FoldAt(const Source& source, std::optional<std::int64_t> revision,
                              const StillWanted& wanted) const;
  // AddModel adds a new model that begins with `fold`. With `from_snapshot` the fold is stored
  // beside the model, as its first snapshot; without, it is the prior, which the configuration
  // gives.
  absl::StatusOr<ModelInfo> AddModel(std::string_view name, ModelFold fold, bool from_snapshot,
                                     ModelMemory::Lease memory);
  // MemoryFor takes what a model of that cost takes; RESOURCE_EXHAUSTED when there is not enough.
  absl::StatusOr<ModelMemory::Lease> MemoryFor(const absl::StatusOr<ModelCost>& cost) const;
  absl::Status CheckAddition(std::string_view name) const;
  // TakeLastSnapshots takes a snapshot of every model that has folded something since its last one,
  // while there is time.
  void TakeLastSnapshots(TimePoint deadline);

  // Constant after construction.
  const EngineOptions options_;
  const Parts parts_;
  const EngineObservers observers_;

  // Thread-safe by themselves. Destroyed from the bottom: whoever uses a part stands below it.
  mutable ModelMemory memory_;
  Admission admission_;
  mutable ScratchPool scratch_;
  WorkerPool pool_;
  Snapshotter snapshotter_;
  Registry models_;
  Committer committer_;
  Readiness readiness_;

  Mutex admin_mu_;  // one create, delete or shutdown at a time; taken before any other
  bool stopped_ ABSL_GUARDED_BY(admin_mu_) = false;

  Mutex share_mu_;  // not admin_mu_, which is held while a large model is stored
  ShareOf share_of_ ABSL_GUARDED_BY(share_mu_);  // empty: all have the same
};

}  // namespace prequel
