// The parts of an engine, and who owns what.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/engine/admission.h"
#include "server/engine/committer.h"
#include "server/engine/engine.h"
#include "server/engine/history.h"
#include "server/engine/registry.h"
#include "server/engine/scratch_pool.h"
#include "server/engine/snapshotter.h"
#include "server/engine/worker_pool.h"
#include "server/sync/mutex.h"

namespace prequel {

// Since the Unix epoch.
std::int64_t Microseconds(TimePoint time);

class Engine::Impl {
 public:
  Impl(const EngineOptions& options, const Parts& parts);
  ~Impl() { Shutdown(TimePoint()); }  // the epoch: waits for nobody

  absl::Status StartReplay();
  bool ready() const;
  void AwaitReady() const;

  absl::StatusOr<ModelInfo> CreateModel(std::string_view name, const LearnerConfig& config,
                                        std::string_view config_bytes);
  absl::Status DeleteModel(std::string_view name);
  void CreateSnapshot(std::string_view name, SnapshotCallback done);
  absl::StatusOr<Revisions> ListRevisions(std::string_view name) const;
  absl::StatusOr<ModelInfo> Rollback(std::string_view name, std::int64_t revision,
                                     const StillWanted& wanted);
  absl::StatusOr<ModelInfo> Fork(std::string_view name, std::optional<std::int64_t> revision,
                                 std::string_view fork, const LearnerConfig* config,
                                 std::string_view config_bytes, const StillWanted& wanted);
  absl::StatusOr<ModelFile> Export(std::string_view name, std::optional<std::int64_t> revision,
                                   const StillWanted& wanted) const;
  absl::StatusOr<ModelInfo> Import(std::string_view name, const ModelFile& file);
  void Submit(std::string_view name, LearnRequest request, LearnCallback done);
  absl::StatusOr<PredictOutcome> Predict(std::string_view name, const Batch& batch,
                                         const QuerySet& queries,
                                         std::optional<std::int64_t> revision,
                                         const StillWanted& wanted) const;
  void Shutdown(TimePoint deadline);

  // Constant after construction.
  const EngineOptions options_;
  const Parts parts_;

  // Thread-safe by themselves. Destroyed from the bottom: whoever uses a part stands below it.
  Admission admission_;
  mutable ScratchPool scratch_;
  WorkerPool pool_;
  Snapshotter snapshotter_;
  Registry models_;
  Committer committer_;

 private:
  // A model that serves.
  struct Source {
    Registry::Entry model;
    ModelActor::View view;
  };
  absl::StatusOr<Source> FindSource(std::string_view name) const;
  absl::StatusOr<LearnerFold> FoldAt(const Source& source, std::optional<std::int64_t> revision,
                                     const StillWanted& wanted) const;
  // A new model that begins with `fold`; with the prior only when nothing else is in it.
  enum class Begins { kWithPrior, kWithSnapshot };
  static Begins BeginsOf(const Source& source, const LearnerFold& fold);
  absl::StatusOr<ModelInfo> AddModel(std::string_view name, Begins begins, LearnerFold fold,
                                     std::string_view config_bytes);
  absl::Status CheckLimits(const Batch& batch) const;
  absl::Status CheckContent(const Learner& learner, const LearnRequest& request) const;
  // OK when the request is to be logged, be it as a refusal.
  absl::Status Examine(const Learner& learner, LearnRequest& request) const;
  absl::StatusOr<std::unique_ptr<PendingBatch>> Accept(std::string_view name,
                                                       LearnRequest& request);
  ModelActor::Parts actor_parts();
  void OneReplayed();
  // Of every model that has folded something since its last one, while there is time.
  void TakeLastSnapshots(TimePoint deadline);

  Mutex admin_mu_;  // one create, delete or shutdown at a time; taken before any other
  bool stopped_ ABSL_GUARDED_BY(admin_mu_) = false;

  mutable Mutex ready_mu_;
  mutable CondVar ready_changed_;
  std::size_t replaying_ ABSL_GUARDED_BY(ready_mu_) = 0;    // models still to be replayed
  bool replay_stopped_ ABSL_GUARDED_BY(ready_mu_) = false;  // they never will be
};

}  // namespace prequel
