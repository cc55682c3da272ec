#include "server/engine/engine_impl.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/config/error.h"
#include "server/engine/ledger_codec.h"
#include "server/engine/status_codec.h"

namespace prequel {
namespace {

int WorkersOf(const EngineOptions& options) {
  if (options.workers > 0) return options.workers;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// What a waiting minibatch holds in memory, roughly.
std::size_t BytesOf(const LearnRequest& request) {
  const Batch& batch = request.batch;
  std::size_t strings = batch.labels.size();
  for (const std::vector<std::string>& column : batch.text) strings += column.size();
  return request.record.size() + strings * sizeof(std::string) +
         static_cast<std::size_t>(batch.inputs.size() + batch.targets.size()) * sizeof(double);
}

}  // namespace

std::int64_t Microseconds(TimePoint time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
}

Engine::Impl::Impl(const EngineOptions& options, const Parts& parts)
    : options_(options),
      parts_(parts),
      admission_(options.max_queued_batches, options.max_queued_bytes, parts.observer),
      scratch_(static_cast<std::size_t>(WorkersOf(options)) + 4),  // some for readers
      pool_(WorkersOf(options)),
      snapshotter_(parts.snapshots, parts.log, parts.clock, parts.observer, options.snapshots),
      committer_(parts.log, parts.clock, parts.observer, options.max_group_bytes) {}

ModelActor::Parts Engine::Impl::actor_parts() {
  return {.log = parts_.log,
          .snapshots = parts_.snapshots,
          .codec = parts_.codec,
          .pool = pool_,
          .scratch = scratch_,
          .snapshotter = snapshotter_,
          .observer = parts_.observer,
          .options = options_.snapshots};
}

absl::Status Engine::Impl::StartReplay() {
  absl::StatusOr<std::vector<StoredModel>> stored = parts_.catalogue.ListModels();
  if (!stored.ok()) return stored.status();
  {
    MutexLock lock(ready_mu_);
    replaying_ = stored->size();
  }
  for (StoredModel& model : *stored) {
    auto actor = std::make_shared<ModelActor>(std::move(model), actor_parts());
    models_.Insert(actor);
    actor->StartReplay([this] { OneReplayed(); });
  }
  return absl::OkStatus();
}

void Engine::Impl::OneReplayed() {
  MutexLock lock(ready_mu_);
  if (--replaying_ == 0) ready_changed_.NotifyAll();
}

bool Engine::Impl::ready() const {
  MutexLock lock(ready_mu_);
  return replaying_ == 0;
}

void Engine::Impl::AwaitReady() const {
  MutexLock lock(ready_mu_);
  while (replaying_ > 0 && !replay_stopped_) ready_changed_.Wait(ready_mu_);
}

absl::StatusOr<ModelInfo> Engine::Impl::CreateModel(std::string_view name,
                                                    const LearnerConfig& config,
                                                    std::string_view config_bytes) {
  if (absl::Status status = CheckModelName(name); !status.ok()) return status;
  absl::StatusOr<Learner> learner = Learner::Create(config);
  if (!learner.ok()) return learner.status();
  return AddModel(name, Begins::kWithPrior,
                  LearnerFold(std::make_shared<const Learner>(*std::move(learner))), config_bytes);
}

absl::StatusOr<ModelInfo> Engine::Impl::AddModel(std::string_view name, Begins begins,
                                                 LearnerFold fold, std::string_view config_bytes) {
  if (absl::Status status = CheckModelName(name); !status.ok()) return status;
  MutexLock lock(admin_mu_);
  if (absl::Status status = admission_.CheckOpen(); !status.ok()) return status;
  if (models_.Find(name).ok()) {
    return absl::AlreadyExistsError(absl::StrCat("model ", std::string(name), " exists"));
  }
  if (models_.size() >= static_cast<std::size_t>(options_.max_models)) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the server hosts ", options_.max_models, " models, its limit"));
  }
  const Capture capture{
      .learner = fold.learner(), .snapshot = fold.current(), .ledger = EncodeLedger(fold.ledger())};
  const FirstSnapshot first{
      .revision = fold.current().revision,
      .build = options_.snapshots.build,
      .write = [&capture](FirstSnapshot::Sink sink) { return WriteCapture(capture, sink); }};
  absl::StatusOr<StoredModel> stored =
      parts_.catalogue.CreateModel(name, config_bytes, Microseconds(parts_.clock.Now()),
                                   begins == Begins::kWithSnapshot ? &first : nullptr);
  if (!stored.ok()) return stored.status();
  auto actor = std::make_shared<ModelActor>(*std::move(stored), actor_parts());
  actor->Start(std::move(fold));
  models_.Insert(actor);
  return actor->Info();
}

absl::Status Engine::Impl::DeleteModel(std::string_view name) {
  MutexLock lock(admin_mu_);
  if (absl::Status status = admission_.CheckOpen(); !status.ok()) return status;
  const absl::StatusOr<Registry::Entry> model = models_.Find(name);
  if (!model.ok()) return model.status();
  (*model)->SetDeleting(true);
  committer_.Flush();
  snapshotter_.Forbid((*model)->id());
  absl::Status status = parts_.catalogue.DeleteModel(name, (*model)->id());
  if (!status.ok()) {
    (*model)->SetDeleting(false);
    snapshotter_.Allow((*model)->id());
    return status;
  }
  models_.Erase(name);
  return absl::OkStatus();
}

void Engine::Impl::CreateSnapshot(std::string_view name, SnapshotCallback done) {
  if (absl::Status status = admission_.CheckOpen(); !status.ok()) return done(status);
  const absl::StatusOr<Registry::Entry> model = models_.Find(name);
  if (!model.ok()) return done(model.status());
  (*model)->RequestSnapshot(std::move(done));
}

void Engine::Impl::Submit(std::string_view name, LearnRequest request, LearnCallback done) {
  absl::StatusOr<std::unique_ptr<PendingBatch>> batch = Accept(name, request);
  if (!batch.ok()) {
    parts_.observer.OnRefused(name, batch.status());
    return done(batch.status());
  }
  (*batch)->request = std::move(request);
  (*batch)->done = std::move(done);
  committer_.Enqueue(*std::move(batch));
}

// All that can be refused at once; takes the place in the queue last.
absl::StatusOr<std::unique_ptr<PendingBatch>> Engine::Impl::Accept(std::string_view name,
                                                                   LearnRequest& request) {
  if (absl::Status status = admission_.CheckOpen(); !status.ok()) return status;
  absl::StatusOr<Registry::Entry> model = models_.Find(name);
  if (!model.ok()) return model.status();
  const absl::StatusOr<std::shared_ptr<const Learner>> learner = (*model)->CheckLearning();
  if (!learner.ok()) return learner.status();
  if (absl::Status status = Examine(**learner, request); !status.ok()) return status;
  absl::StatusOr<Admission::Ticket> ticket =
      admission_.Admit((*model)->account(), BytesOf(request));
  if (!ticket.ok()) return ticket.status();
  auto batch = std::make_unique<PendingBatch>();
  batch->model = *std::move(model);
  batch->ticket = *std::move(ticket);
  return batch;
}

absl::Status Engine::Impl::Examine(const Learner& learner, LearnRequest& request) const {
  if (absl::Status status = CheckOrigin(request.origin); !status.ok()) return status;
  if (request.inquiry) return absl::OkStatus();
  if (request.predict.has_value()) {
    if (absl::Status status = CheckPredictOptions(*request.predict); !status.ok()) return status;
  }
  if (request.refusal.ok()) request.refusal = CheckContent(learner, request);
  if (request.refusal.ok()) return absl::OkStatus();
  if (!request.origin.numbered() || !absl::IsInvalidArgument(request.refusal)) {
    return request.refusal;
  }
  request.record = EncodeStatus(request.refusal);
  request.batch = {};
  return absl::OkStatus();
}

absl::Status Engine::Impl::CheckContent(const Learner& learner, const LearnRequest& request) const {
  if (absl::Status status = CheckLimits(request.batch); !status.ok()) return status;
  if (request.record.size() > options_.max_batch_bytes) {
    return FieldError("batch", absl::StrCat("has ", request.record.size(), " bytes; at most ",
                                            options_.max_batch_bytes, " are taken"));
  }
  return learner.CheckBatch(request.batch);
}

absl::Status Engine::Impl::CheckLimits(const Batch& batch) const {
  if (batch.rows() <= options_.max_batch_rows) return absl::OkStatus();
  return FieldError("batch", absl::StrCat("has ", batch.rows(), " rows; at most ",
                                          options_.max_batch_rows, " are taken"));
}

absl::StatusOr<PredictOutcome> Engine::Impl::Predict(std::string_view name, const Batch& batch,
                                                     const PredictOptions& options,
                                                     std::optional<std::int64_t> revision,
                                                     const StillWanted& wanted) const {
  const absl::StatusOr<Source> source = FindSource(name);
  if (!source.ok()) return source.status();
  const Learner& learner = *source->view.learner;
  if (absl::Status status = CheckLimits(batch); !status.ok()) return status;
  if (absl::Status status = CheckPredictOptions(options); !status.ok()) return status;
  if (absl::Status status = learner.CheckInputs(batch); !status.ok()) return status;
  Snapshot snapshot = source->view.snapshot;
  if (revision.value_or(snapshot.revision) != snapshot.revision) {
    absl::StatusOr<LearnerFold> fold = FoldAt(*source, revision, wanted);
    if (!fold.ok()) return fold.status();
    snapshot = fold->current();
  }
  const auto start = std::chrono::steady_clock::now();
  ScratchPool::Lease scratch = scratch_.Take();
  absl::StatusOr<Predictions> predictions =
      learner.Predict(*snapshot.state, batch, options, *scratch);
  parts_.observer.OnPredict(name, batch.rows(), std::chrono::steady_clock::now() - start,
                            predictions.status());
  if (!predictions.ok()) return predictions.status();
  return PredictOutcome{snapshot.revision, *std::move(predictions)};
}

void Engine::Impl::TakeLastSnapshots(TimePoint deadline) {
  for (const Registry::Entry& model : models_.List("", std::numeric_limits<std::size_t>::max())) {
    if (parts_.clock.Now() >= deadline) return;
    if (const std::optional<Capture> capture = model->LastCapture()) {
      (void)snapshotter_.Take(*capture);  // the observer is told; the log has it all
    }
  }
}

void Engine::Impl::Shutdown(TimePoint deadline) {
  admission_.Close();
  MutexLock lock(admin_mu_);
  if (std::exchange(stopped_, true)) return;
  (void)admission_.AwaitIdle(deadline);
  committer_.Stop();
  pool_.Stop();
  snapshotter_.Stop();
  TakeLastSnapshots(deadline);
  const absl::Status abandoned = absl::UnknownError(
      "the server shut down; the minibatch is in the log and will be folded in at the next start");
  for (const Registry::Entry& model : models_.List("", std::numeric_limits<std::size_t>::max())) {
    model->Abandon(abandoned);
  }
  MutexLock ready_lock(ready_mu_);
  replay_stopped_ = true;
  ready_changed_.NotifyAll();
}

}  // namespace prequel
