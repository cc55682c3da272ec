#include "server/engine/engine.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/config/field_error.h"
#include "server/engine/fold/stored_config.h"
#include "server/engine/history/model_copy.h"
#include "server/engine/history/relearning.h"
#include "server/engine/work.h"
#include "server/memory/machine.h"

namespace prequel {
namespace {

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kScratchesForReaders = 4;

}  // namespace

absl::StatusOr<std::unique_ptr<Engine>> Engine::Create(const EngineOptions& options,
                                                       const Parts& parts) {
  if (absl::Status status = CheckEngineOptions(options); !status.ok()) return status;
  std::unique_ptr<Engine> engine(new Engine(options, parts));
  if (absl::Status status = engine->StartReplay(); !status.ok()) return status;
  return engine;
}

Engine::Engine(const EngineOptions& options, const Parts& parts)
    : options_(options),
      parts_(parts),
      observers_(parts.observers),
      memory_(options.max_model_bytes, static_cast<std::size_t>(WorkersOf(options))),
      admission_(options.max_queued_batches, options.max_queued_bytes, observers_),
      scratch_(static_cast<std::size_t>(2 * WorkersOf(options)) + kScratchesForReaders),
      pool_(WorkersOf(options)),
      snapshotter_(parts.snapshots, parts.log, parts.clock, observers_, options_.snapshots),
      committer_(parts.log, parts.clock, observers_, options.max_group_bytes) {}

Engine::~Engine() { Shutdown(TimePoint()); }  // the epoch: waits for nobody

ModelActor::Parts Engine::actor_parts() {
  return {.log = parts_.log,
          .snapshots = parts_.snapshots,
          .codec = parts_.codec,
          .admission = admission_,
          .pool = pool_,
          .scratch = scratch_,
          .committer = committer_,
          .snapshotter = snapshotter_,
          .memory = memory_,
          .observers = observers_,
          .options = options_};
}

absl::Status Engine::StartReplay() {
  absl::StatusOr<std::vector<StoredModel>> stored = parts_.catalogue.ListModels();
  if (!stored.ok()) return stored.status();
  readiness_.Expect(stored->size());
  for (StoredModel& model : *stored) {
    auto actor = std::make_shared<ModelActor>(std::move(model), actor_parts());
    models_.Insert(actor);
    actor->StartReplay([this] { readiness_.OneDone(); });
  }
  return absl::OkStatus();
}

absl::StatusOr<ModelInfo> Engine::CreateModel(std::string_view name, const LearnerConfig& config) {
  if (absl::Status status = CheckModelName(name); !status.ok()) return status;
  const absl::StatusOr<ModelCost> cost = ModelCost::Of(config);
  absl::StatusOr<ModelMemory::Lease> memory = MemoryFor(cost);
  if (!memory.ok()) return memory.status();
  absl::StatusOr<Learner> learner = Learner::Create(config);
  if (!learner.ok()) return learner.status();
  if (absl::Status status = CheckUpdateTime(*cost, 1, options_.max_update_seconds); !status.ok()) {
    return FieldError("config", std::string(status.message()));
  }
  return AddModel(name, ModelFold(std::make_shared<const Learner>(*std::move(learner))), false,
                  *std::move(memory));
}

absl::StatusOr<ModelMemory::Lease> Engine::MemoryFor(const absl::StatusOr<ModelCost>& cost) const {
  if (!cost.ok()) return cost.status();
  return memory_.Take(BytesOf(cost->footprint()));
}

absl::Status Engine::CheckAddition(std::string_view name) const {
  if (absl::Status status = CheckModelName(name); !status.ok()) return status;
  if (absl::Status status = admission_.CheckOpen(); !status.ok()) return status;
  if (models_.Find(name).ok()) {
    return absl::AlreadyExistsError(absl::StrCat("model ", std::string(name), " exists"));
  }
  if (models_.size() < static_cast<std::size_t>(options_.max_models)) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("the server hosts ", options_.max_models, " models, its limit"));
}

absl::StatusOr<ModelInfo> Engine::AddModel(std::string_view name, ModelFold fold,
                                           bool from_snapshot, ModelMemory::Lease memory) {
  const absl::StatusOr<std::string> config = WriteConfig(*fold.learner(), parts_.codec);
  if (!config.ok()) return config.status();
  const Capture capture = CaptureOf({}, fold);
  const FirstSnapshot first{
      .revision = fold.current().revision,
      .build = options_.snapshots.build,
      .write = [&capture](FirstSnapshot::Sink sink) { return WriteCapture(capture, sink); }};
  MutexLock lock(admin_mu_);
  if (absl::Status status = CheckAddition(name); !status.ok()) return status;
  absl::StatusOr<StoredModel> stored = parts_.catalogue.CreateModel(
      name, *config, MicrosecondsOf(parts_.clock.Now()), from_snapshot ? &first : nullptr);
  if (!stored.ok()) return stored.status();
  auto actor = std::make_shared<ModelActor>(*std::move(stored), actor_parts());
  actor->Start(std::move(fold), std::move(memory));
  MutexLock share_lock(share_mu_);
  if (share_of_) actor->SetShare(share_of_(name));
  models_.Insert(actor);
  return actor->Info();
}

absl::StatusOr<ModelInfo> Engine::GetModel(std::string_view name) const {
  const absl::StatusOr<Registry::Entry> model = models_.Find(name);
  if (!model.ok()) return model.status();
  return (*model)->Info();
}

std::vector<ModelInfo> Engine::ListModels(std::string_view after, int limit) const {
  std::vector<ModelInfo> infos;
  if (limit <= 0) return infos;
  for (const Registry::Entry& model : models_.List(after, static_cast<std::size_t>(limit))) {
    infos.push_back(model->Info());
  }
  return infos;
}

absl::Status Engine::DeleteModel(std::string_view name) {
  MutexLock lock(admin_mu_);
  if (absl::Status status = admission_.CheckOpen(); !status.ok()) return status;
  const absl::StatusOr<Registry::Entry> model = models_.Find(name);
  if (!model.ok()) return model.status();
  const StoredModel& stored = (*model)->stored();
  const absl::Status deleted =
      absl::NotFoundError(absl::StrCat("model ", stored.name, " was deleted"));
  committer_.Close(stored.log, deleted);
  snapshotter_.Forbid(stored.id);
  if (absl::Status status = parts_.catalogue.DeleteModel(name, stored.id); !status.ok()) {
    committer_.Reopen(stored.log);
    snapshotter_.Allow(stored.id);
    return status;
  }
  committer_.Forget(stored.log);
  models_.Erase(name);
  (*model)->Retire(deleted);
  return absl::OkStatus();
}

void Engine::Submit(std::string_view name, Delivery delivery) {
  absl::Status status = admission_.CheckOpen();
  const absl::StatusOr<Registry::Entry> model = models_.Find(name);
  if (status.ok()) status = model.status();
  if (status.ok()) return (*model)->Submit(std::move(delivery));
  observers_.Tell(&EngineObserver::OnRefused, name, status);
  delivery.done(status);
}

void Engine::Submit(const Question& question, Delivery delivery) {
  delivery.predict = question.queries;
  delivery.seconds = question.seconds;
  const absl::Status status = admission_.CheckOpen();
  if (status.ok()) return question.model->Submit(std::move(delivery));
  observers_.Tell(&EngineObserver::OnRefused, question.model->stored().name, status);
  delivery.done(status);
}

void Engine::AskNextSequence(std::string_view name, std::string producer, TimePoint deadline,
                             Committer::NextCallback done) {
  const absl::StatusOr<Registry::Entry> model = models_.Find(name);
  if (!model.ok()) return done(model.status());
  (*model)->AskNext(std::move(producer), deadline, std::move(done));
}

void Engine::CreateSnapshot(std::string_view name, SnapshotCallback done) {
  if (absl::Status status = admission_.CheckOpen(); !status.ok()) return done(status);
  const absl::StatusOr<Registry::Entry> model = models_.Find(name);
  if (!model.ok()) return done(model.status());
  (*model)->RequestSnapshot(std::move(done));
}

absl::StatusOr<Engine::Source> Engine::SourceOf(Registry::Entry model) {
  absl::StatusOr<Publication::View> view = model->publication().Load();
  if (!view.ok()) return view.status();
  return Source{std::move(model), *std::move(view)};
}

absl::StatusOr<Engine::Source> Engine::FindSource(std::string_view name) const {
  absl::StatusOr<Registry::Entry> model = models_.Find(name);
  if (!model.ok()) return model.status();
  return SourceOf(*std::move(model));
}

absl::StatusOr<Published> Engine::GetPublished(std::string_view name) const {
  absl::StatusOr<Source> source = FindSource(name);
  if (!source.ok()) return source.status();
  return std::move(source->view.published);
}

Subscription Engine::AwaitRevision(std::string_view name, std::int64_t revision,
                                   Publication::Then then) const {
  const absl::StatusOr<Registry::Entry> model = models_.Find(name);
  if (model.ok()) return (*model)->publication().Await(revision, std::move(then));
  then(model.status());
  return {};
}

absl::StatusOr<Question> Engine::Ask(std::string_view name, const PredictOptions& options,
                                     const RowsAsked& rows) const {
  return Ask(
      name, [&](const Learner&) -> absl::StatusOr<PredictOptions> { return options; }, rows);
}

absl::StatusOr<Question> Engine::Ask(std::string_view name, OptionsOf options,
                                     const RowsAsked& rows) const {
  absl::StatusOr<Source> source = FindSource(name);
  if (!source.ok()) return source.status();
  const absl::StatusOr<PredictOptions> asked = options(*source->view.learner);
  if (!asked.ok()) return asked.status();
  const ModelCost& cost = source->model->cost();
  return MakeQuestion(std::move(source->model), std::move(source->view.learner), cost, *asked, rows,
                      options_);
}

absl::StatusOr<PredictOutcome> Engine::Answer(const Question& question, const Batch& batch,
                                              std::optional<std::int64_t> revision,
                                              const StillWanted& wanted,
                                              const StillWanted& proceed) const {
  if (absl::Status status = CheckAsked(question, batch, options_); !status.ok()) return status;
  const absl::StatusOr<Source> source = SourceOf(question.model);
  if (!source.ok()) return source.status();
  Published published = source->view.published;
  absl::StatusOr<Past> past = absl::UnknownError("not needed");
  if (revision.value_or(published.revision) != published.revision) {
    past = FoldAt(*source, revision, wanted);
    if (!past.ok()) return past.status();
    published = past->fold.current();
  }
  const auto start = std::chrono::steady_clock::now();
  ScratchPool::Lease scratch = scratch_.Take();
  if (source->model->bulky()) scratch.Discard();
  absl::StatusOr<PredictOutcome> outcome = AnswerFrom(published, question, source->model->cost(),
                                                      batch, proceed ? proceed : wanted, *scratch);
  observers_.Tell(&EngineObserver::OnPredict, source->model->stored().name, batch.rows(),
                  std::chrono::steady_clock::now() - start, outcome.status());
  return outcome;
}

absl::StatusOr<Revisions> Engine::ListRevisions(std::string_view name) const {
  const absl::StatusOr<Source> source = FindSource(name);
  if (!source.ok()) return source.status();
  return History(parts_.log, parts_.snapshots, parts_.codec, source->model->stored()).List();
}

absl::StatusOr<Engine::Past> Engine::FoldAt(const Source& source,
                                            std::optional<std::int64_t> revision,
                                            const StillWanted& wanted) const {
  absl::StatusOr<ModelMemory::Lease> memory = MemoryFor(source.model->cost());
  if (!memory.ok()) return memory.status();
  const Published& newest = source.view.published;
  const std::int64_t then = revision.value_or(newest.revision);
  const std::uint64_t next_offset = then == newest.revision ? newest.next_offset : 0;
  const History history(parts_.log, parts_.snapshots, parts_.codec, source.model->stored());
  absl::StatusOr<ModelFold> fold = history.At(then, next_offset, source.view.learner, wanted);
  if (!fold.ok()) return fold.status();
  return Past{*std::move(memory), *std::move(fold)};
}

absl::StatusOr<ModelInfo> Engine::Rollback(std::string_view name, std::int64_t revision,
                                           const StillWanted& wanted) {
  if (absl::Status status = admission_.CheckOpen(); !status.ok()) return status;
  const absl::StatusOr<Source> source = FindSource(name);
  if (!source.ok()) return source.status();
  const absl::StatusOr<Past> past = FoldAt(*source, revision, wanted);
  if (!past.ok()) return past.status();
  std::promise<absl::Status> done;
  source->model->Submit({.record = prequel::Rollback{.state = *past->fold.current().state},
                         .done = [&done](const absl::StatusOr<LearnOutcome>& outcome) {
                           done.set_value(outcome.status());
                         }});
  if (absl::Status status = done.get_future().get(); !status.ok()) return status;
  return source->model->Info();
}

absl::StatusOr<ModelInfo> Engine::Fork(std::string_view name, std::optional<std::int64_t> revision,
                                       std::string_view fork, const LearnerConfig* config,
                                       const StillWanted& wanted) {
  const absl::StatusOr<Source> source = FindSource(name);
  if (!source.ok()) return source.status();
  absl::StatusOr<ModelMemory::Lease> memory =
      MemoryFor(config != nullptr ? ModelCost::Of(*config) : source->model->cost());
  if (!memory.ok()) return memory.status();
  std::shared_ptr<const Learner> other;
  if (config != nullptr) {
    absl::StatusOr<Learner> created = Learner::Create(*config);
    if (!created.ok()) return created.status();
    other = std::make_shared<const Learner>(*std::move(created));
  }
  absl::StatusOr<Past> past = FoldAt(*source, revision, wanted);
  if (!past.ok()) return past.status();
  ModelFold& fold = past->fold;
  if (other != nullptr) {
    const Relearning relearning(parts_.log, parts_.codec, source->model->stored(),
                                source->view.learner);
    absl::StatusOr<ModelFold> learned = relearning.Fold(fold.current().next_offset, other, wanted);
    if (!learned.ok()) return learned.status();
    fold = *std::move(learned);
  }
  // A fold of no record is the prior; revision 0 alone is not, for there may have been refusals.
  const bool prior = fold.current().next_offset == 0 && !source->model->stored().from_snapshot;
  return AddModel(fork, AtBeginning(std::move(fold)), !prior, *std::move(memory));
}

absl::StatusOr<ModelFile> Engine::Export(std::string_view name,
                                         std::optional<std::int64_t> revision,
                                         const StillWanted& wanted) const {
  const absl::StatusOr<Source> source = FindSource(name);
  if (!source.ok()) return source.status();
  const absl::StatusOr<Past> past = FoldAt(*source, revision, wanted);
  if (!past.ok()) return past.status();
  return ToFile(past->fold, parts_.codec, MicrosecondsOf(parts_.clock.Now()),
                options_.snapshots.build);
}

absl::StatusOr<ModelInfo> Engine::Import(std::string_view name, const ModelFile& file) {
  absl::StatusOr<ModelMemory::Lease> memory = MemoryFor(EstimateConfig(file.config, parts_.codec));
  if (!memory.ok()) return memory.status();
  absl::StatusOr<ModelFold> fold = FromFile(file, parts_.codec);
  if (!fold.ok()) return fold.status();
  return AddModel(name, *std::move(fold), true, *std::move(memory));
}

void Engine::SetShares(ShareOf share_of) {
  MutexLock lock(share_mu_);
  share_of_ = std::move(share_of);
  for (const Registry::Entry& model : models_.List("", kAll)) {
    model->SetShare(share_of_(model->stored().name));
  }
}

void Engine::TakeLastSnapshots(TimePoint deadline) {
  for (const Registry::Entry& model : models_.List("", kAll)) {
    if (parts_.clock.Now() >= deadline) return;
    if (const std::optional<Capture> capture = model->LastCapture()) {
      (void)snapshotter_.Take(*capture);  // the observers are told; the log has it all
    }
  }
}

void Engine::Shutdown(TimePoint deadline) {
  admission_.Close();
  MutexLock lock(admin_mu_);
  if (std::exchange(stopped_, true)) return;
  (void)admission_.AwaitIdle(deadline);
  committer_.Stop();
  pool_.Stop();
  snapshotter_.Stop();
  TakeLastSnapshots(deadline);
  const absl::Status unfolded = absl::UnknownError(
      "the server shut down; the minibatch is in the log and will be folded in at the next start");
  const absl::Status stopped = absl::UnavailableError("the server is shutting down");
  for (const Registry::Entry& model : models_.List("", kAll)) model->Abandon(unfolded, stopped);
  readiness_.GiveUp();
}

}  // namespace prequel
