#include "server/engine/actor/model_actor.h"

#include <cassert>
#include <chrono>
#include <future>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/engine/actor/intake.h"
#include "server/engine/work.h"
#include "server/sync/thread_time.h"

namespace prequel {
namespace {

// A turn takes this much processor time: a few small minibatches, so that a busy model is not
// rescheduled for each, and others still get their turn. Nothing that is folded depends on it.
constexpr double kTurnSeconds = 2e-3;
// More bytes of scratch than these, by estimate, are given back after each turn.
constexpr double kBulky = 16 << 20;

absl::Status NotYet(const std::string& name) {
  return absl::UnavailableError(
      absl::StrCat("model ", name, " is still being replayed from its log"));
}

}  // namespace

ModelActor::ModelActor(StoredModel stored, const Parts& parts)
    : stored_(std::move(stored)),
      parts_(parts),
      publication_(std::make_shared<Publication>(NotYet(stored_.name))),
      cadence_(parts.options.snapshots) {}

ModelInfo ModelActor::Info() const {
  const TimePoint created{std::chrono::duration_cast<TimePoint::duration>(
      std::chrono::microseconds(stored_.create_time_us))};
  Publication::Glimpse seen = publication_->Peek();
  ModelInfo info{.name = stored_.name,
                 .create_time = created,
                 .problem = std::move(seen.problem),
                 .replay = seen.replay,
                 .learner = std::move(seen.view.learner),
                 .config = std::nullopt,
                 .published = std::move(seen.view.published)};
  if (info.learner == nullptr && stored_.problem.ok()) {
    absl::StatusOr<LearnerConfig> config = parts_.codec.DecodeConfig(stored_.config);
    if (config.ok()) info.config = *std::move(config);
  }
  return info;
}

void ModelActor::Start(ModelFold fold, ModelMemory::Lease memory) {
  memory_ = std::move(memory);
  Begin(std::move(fold));
}

void ModelActor::Begin(ModelFold fold) {
  cost_ = ModelCost::Of(fold.learner()->config()).value();  // which was made of it
  bulky_ = cost_->footprint().scratch > kBulky;
  fold_.emplace(std::move(fold));
  // The committer opens the log first: whoever finds the model readable may submit.
  parts_.committer.Open(stored_.log, fold_->part<Ledger>());
  publication_->Introduce(fold_->learner());
  publication_->Publish(fold_->current());
}

void ModelActor::StartReplay(absl::AnyInvocable<void()> done) {
  replay_done_ = std::move(done);
  PostReplayTurn(Weight::kLight);
}

void ModelActor::Post(Weight weight, WorkerPool::Task turn) {
  parts_.pool.Post(stored_.name, weight, std::move(turn), share_);
}

void ModelActor::PostReplayTurn(Weight weight) {
  Post(weight, [self = shared_from_this(), weight] { self->ReplayTurn(weight); });
}

void ModelActor::PostLearnTurn() {
  Post(Weight::kLight, [self = shared_from_this()] { self->LearnTurn(); });
}

void ModelActor::ReplayTurn(Weight weight) {
  if (!replay_.has_value()) {
    replay_.emplace(Replay::Parts{.model = stored_,
                                  .log = parts_.log,
                                  .snapshots = parts_.snapshots,
                                  .codec = parts_.codec,
                                  .snapshotter = parts_.snapshotter,
                                  .memory = parts_.memory,
                                  .cadence = cadence_,
                                  .observers = parts_.observers});
  }
  if (retired_) return FinishReplay(gone_);
  const bool known = replay_->learner() != nullptr;
  ScratchPool::Lease scratch = parts_.scratch.Take();
  const absl::StatusOr<Follower::Progress> progress =
      replay_->Step(*scratch, weight == Weight::kHeavy);
  if (!known) publication_->Introduce(replay_->learner());
  publication_->Report(replay_->progress());
  if (progress.ok() && *progress == Follower::Progress::kMore) {
    return PostReplayTurn(replay_->heavy() ? Weight::kHeavy : Weight::kLight);
  }
  FinishReplay(progress.status());
}

void ModelActor::FinishReplay(const absl::Status& status) {
  absl::Status problem;
  if (status.ok()) {
    memory_ = replay_->TakeMemory();
    Begin(std::move(*replay_).TakeFold());
  } else {
    problem = absl::Status(
        status.code(), absl::StrCat("model ", stored_.name, " does not serve: ", status.message()));
    publication_->Fail(problem);
  }
  replay_.reset();
  parts_.observers.Tell(&EngineObserver::OnReplayDone, stored_.name, problem);
  std::exchange(replay_done_, nullptr)();
}

void ModelActor::Submit(Delivery sent) {
  auto delivery = std::make_unique<Delivery>(std::move(sent));
  delivery->sink = shared_from_this();
  const absl::Status accepted = Accept(*delivery);
  if (!accepted.ok()) return Refuse(std::move(delivery), accepted);
  parts_.committer.Append(stored_.log, std::move(delivery));
}

absl::Status ModelActor::Accept(Delivery& delivery) {
  const absl::StatusOr<Publication::View> view = publication_->Load();
  if (!view.ok()) return view.status();
  const absl::Status taken = TakeIn(delivery, *view->learner, *cost_, parts_.options);
  if (!taken.ok()) return taken;
  delivery.seconds += SecondsToLearn(*cost_, RowsIn(delivery.record));
  delivery.payload = Encode(delivery.record, *view->learner);
  absl::StatusOr<Admission::Ticket> ticket =
      parts_.admission.Admit(account_, delivery.payload.size() + MemoryOf(delivery.record));
  if (!ticket.ok()) return ticket.status();
  delivery.ticket = *std::move(ticket);
  return absl::OkStatus();
}

void ModelActor::AskNext(std::string producer, TimePoint deadline, Committer::NextCallback done) {
  absl::Status status = publication_->problem();
  if (status.ok()) status = CheckOrigin({.id = producer, .sequence = 1});
  if (!status.ok()) return done(status);
  absl::StatusOr<Admission::Ticket> ticket = parts_.admission.Admit(account_, producer.size());
  if (!ticket.ok()) return done(ticket.status());
  parts_.committer.AskNext(stored_.log, std::move(producer), deadline, *std::move(ticket),
                           std::move(done));
}

void ModelActor::Deliver(std::unique_ptr<Delivery> delivery) {
  if (inbox_.Put(std::move(delivery))) PostLearnTurn();
}

void ModelActor::Refuse(std::unique_ptr<Delivery> delivery, const absl::Status& status) {
  parts_.observers.Tell(&EngineObserver::OnRefused, stored_.name, status);
  AnswerTo(std::move(delivery), status);
}

void ModelActor::LearnTurn() {
  const std::optional<Weight> next = Work(*TakeScratch());
  if (next == Weight::kLight) PostLearnTurn();
  if (next == Weight::kHeavy) {
    Post(Weight::kHeavy, [self = shared_from_this()] { self->HeavyTurn(); });
  }
}

void ModelActor::HeavyTurn() {
  if (!retired_) folded_ = Fold(std::move(left_), *TakeScratch());
  std::promise<void> over;  // kept by the light turn or, when the pool stops before it, broken
  const std::future<void> light_turn = over.get_future();
  Post(Weight::kLight, [self = shared_from_this(), over = std::move(over)]() mutable {
    self->LearnTurn();
    over.set_value();
  });
  light_turn.wait();
}

ScratchPool::Lease ModelActor::TakeScratch() {
  ScratchPool::Lease scratch = parts_.scratch.Take();
  if (bulky_) scratch.Discard();
  return scratch;
}

std::optional<WorkerPool::Weight> ModelActor::Work(Scratch& scratch) {
  const double begun = ThreadSeconds();
  if (folded_) Announce(*std::exchange(folded_, std::nullopt));
  if (left_ != nullptr) AnswerTo(std::move(left_), gone_);  // deleted before it was folded
  while (ThreadSeconds() - begun < kTurnSeconds) {
    std::optional<Inbox::Work> work = inbox_.NextOrSleep();
    if (!work.has_value()) return std::nullopt;
    if (!work->snapshots.empty()) TakeSnapshot(std::move(work->snapshots));
    if (work->delivery == nullptr) continue;
    if (IsHeavy(*work->delivery)) {
      left_ = std::move(work->delivery);
      return Weight::kHeavy;
    }
    Answer(std::move(work->delivery), scratch);
  }
  return Weight::kLight;
}

// A delivery that is only to be answered is light, whatever it holds.
bool ModelActor::IsHeavy(const Delivery& delivery) const {
  return !retired_ && !delivery.repeat && heaviness_.IsHeavy(delivery.seconds);
}

void ModelActor::Answer(std::unique_ptr<Delivery> delivery, Scratch& scratch) {
  if (retired_) return AnswerTo(std::move(delivery), gone_);
  if (delivery->repeat) return Repeat(std::move(delivery));
  Announce(Fold(std::move(delivery), scratch));
}

ModelActor::Folded ModelActor::Fold(std::unique_ptr<Delivery> delivery, Scratch& scratch) {
  assert(delivery->offset == fold_->current().next_offset);
  const auto start = std::chrono::steady_clock::now();
  const double begun = ThreadSeconds();
  LearnOutcome outcome;
  const bool predict = delivery->predict.has_value();
  const absl::StatusOr<Learned> learned =
      prequel::Fold(delivery->record, *fold_, delivery->origin,
                    {.scratch = scratch,
                     .time_us = delivery->time_us,
                     .queries = predict ? &*delivery->predict : nullptr,
                     .answer = predict ? &outcome.predictions : nullptr});
  heaviness_.Note(delivery->seconds, ThreadSeconds() - begun);
  const auto took = std::chrono::steady_clock::now() - start;
  if (!learned.ok()) return {std::move(delivery), learned.status(), took};
  outcome.revision = fold_->current().revision;
  outcome.learned = *learned;
  return {std::move(delivery), std::move(outcome), took};
}

void ModelActor::Announce(Folded folded) {
  cadence_.OnFolded(folded.delivery->logged_bytes);
  publication_->Publish(fold_->current());
  Tell(folded.delivery->record, parts_.observers, stored_.name, folded.took,
       folded.outcome.status());
  const Index refused = folded.outcome.ok() ? folded.outcome->learned.refused.count : 0;
  if (refused > 0) parts_.observers.Tell(&EngineObserver::OnRowsRefused, stored_.name, refused);
  AnswerTo(std::move(folded.delivery), std::move(folded.outcome));
  if (cadence_.due()) TakeSnapshot({});
}

void ModelActor::Repeat(std::unique_ptr<Delivery> delivery) {
  const absl::StatusOr<PastAnswer> past = fold_->part<Ledger>().AnswerTo(delivery->origin);
  if (!past.ok()) return AnswerTo(std::move(delivery), past.status());
  LearnOutcome outcome{.revision = past->revision, .learned = past->learned, .repeated = true};
  AnswerTo(std::move(delivery), std::move(outcome));
}

void ModelActor::RequestSnapshot(SnapshotCallback done) {
  absl::Status status = publication_->problem();
  if (status.ok()) {
    if (inbox_.Put(done)) PostLearnTurn();
    if (done == nullptr) return;
    status = absl::UnavailableError("the server is shutting down");
  }
  done(status);
}

// The capture is immutable: learning goes on while it is stored.
void ModelActor::TakeSnapshot(std::vector<SnapshotCallback> done) {
  cadence_.OnTaken();
  parts_.snapshotter.Enqueue(
      CaptureOf(stored_, *fold_), [self = shared_from_this(), done = std::move(done)](
                                      const absl::StatusOr<StoredSnapshot>& stored) mutable {
        stored.ok() ? self->cadence_.OnStored(stored->next_offset) : self->cadence_.OnFailed();
        for (SnapshotCallback& callback : done) callback(stored);
      });
}

std::optional<Capture> ModelActor::LastCapture() const {
  if (!fold_.has_value() || fold_->current().next_offset == cadence_.stored_offset()) {
    return std::nullopt;
  }
  return CaptureOf(stored_, *fold_);
}

void ModelActor::Retire(const absl::Status& deleted) {
  publication_->End(deleted);
  gone_ = deleted;
  retired_ = true;
}

void ModelActor::Abandon(const absl::Status& unfolded, const absl::Status& stopped) {
  if (folded_) Announce(*std::exchange(folded_, std::nullopt));
  if (left_ != nullptr) AnswerTo(std::move(left_), unfolded);
  Inbox::Leftovers left = inbox_.Close();
  for (std::unique_ptr<Delivery>& delivery : left.deliveries) {
    AnswerTo(std::move(delivery), unfolded);
  }
  for (SnapshotCallback& done : left.snapshots) done(stopped);
  publication_->End(stopped);
}

}  // namespace prequel
