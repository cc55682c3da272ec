#include "server/engine/model_actor.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"

namespace prequel {
namespace {

// A few, so that a busy model is not rescheduled for each, and others still get their turn.
constexpr int kBatchesPerTurn = 8;

}  // namespace

ModelActor::ModelActor(StoredModel stored, const Parts& parts)
    : stored_(std::move(stored)), parts_(parts) {}

void ModelActor::Start(LearnerFold fold) {
  fold_.emplace(std::move(fold));
  sequencer = Sequencer(fold_->ledger());
  MutexLock lock(mu_);
  stage_ = Stage::kServing;
  published_ = {fold_->learner(), fold_->current()};
}

absl::StatusOr<ModelActor::View> ModelActor::Read() const {
  MutexLock lock(mu_);
  if (absl::Status status = CheckReadable(); !status.ok()) return status;
  return published_;
}

absl::StatusOr<std::shared_ptr<const Learner>> ModelActor::CheckLearning() const {
  MutexLock lock(mu_);
  if (deleting_) return absl::NotFoundError(absl::StrCat("model ", name(), " was deleted"));
  if (absl::Status status = CheckReadable(); !status.ok()) return status;
  return published_.learner;
}

absl::Status ModelActor::CheckReadable() const {
  switch (stage_) {
    case Stage::kReplaying:
      return absl::UnavailableError(
          absl::StrCat("model ", name(), " is still being replayed from its log"));
    case Stage::kBroken:
      return problem_;
    case Stage::kServing:
      break;
  }
  return absl::OkStatus();
}

ModelInfo ModelActor::Info() const {
  const TimePoint created{std::chrono::duration_cast<TimePoint::duration>(
      std::chrono::microseconds(stored_.create_time_us))};
  MutexLock lock(mu_);
  return {.name = name(),
          .create_time = created,
          .problem = CheckReadable(),
          .learner = published_.learner,
          .snapshot = published_.snapshot};
}

void ModelActor::SetDeleting(bool deleting) {
  MutexLock lock(mu_);
  deleting_ = deleting;
}

void ModelActor::Deliver(std::unique_ptr<PendingBatch> batch) {
  {
    MutexLock lock(mu_);
    inbox_.push_back(std::move(batch));
    if (std::exchange(scheduled_, true)) return;
  }
  Post(&ModelActor::LearnTurn);
}

void ModelActor::Abandon(const absl::Status& status) {
  std::deque<std::unique_ptr<PendingBatch>> inbox;
  std::vector<SnapshotCallback> snapshots;
  {
    MutexLock lock(mu_);
    inbox.swap(inbox_);
    snapshots.swap(snapshot_requests_);
    abandoned_ = true;
  }
  for (std::unique_ptr<PendingBatch>& batch : inbox) Answer(std::move(batch), status);
  for (SnapshotCallback& done : snapshots) {
    done(absl::UnavailableError("the server is shutting down"));
  }
}

void ModelActor::Post(void (ModelActor::*turn)()) {
  parts_.pool.Post([self = shared_from_this(), turn] { ((*self).*turn)(); });
}

void ModelActor::LearnTurn() {
  ScratchPool::Lease scratch = parts_.scratch.Take();
  for (int i = 0; i < kBatchesPerTurn; ++i) {
    std::optional<Work> work = NextOrSleep();
    if (!work.has_value()) return;
    if (!work->snapshots.empty()) TakeSnapshot(std::move(work->snapshots));
    if (work->batch != nullptr) Fold(std::move(work->batch), *scratch);
    if (SnapshotDue()) TakeSnapshot({});
  }
  Post(&ModelActor::LearnTurn);
}

// Nothing once there is nothing to do: the next delivery or request posts the next turn.
std::optional<ModelActor::Work> ModelActor::NextOrSleep() {
  MutexLock lock(mu_);
  if (inbox_.empty() && snapshot_requests_.empty()) {
    scheduled_ = false;
    return std::nullopt;
  }
  Work work;
  work.snapshots.swap(snapshot_requests_);
  if (!inbox_.empty()) {
    work.batch = std::move(inbox_.front());
    inbox_.pop_front();
  }
  return work;
}

void ModelActor::Fold(std::unique_ptr<PendingBatch> batch, Scratch& scratch) {
  if (batch->repeat) {
    absl::StatusOr<LearnOutcome> answer = fold_->ledger().AnswerTo(batch->request.origin);
    return Answer(std::move(batch), std::move(answer));
  }
  if (batch->request.rollback) return Rollback(std::move(batch));
  if (batch->request.refusal.ok()) return Learn(std::move(batch), scratch);
  Refuse(std::move(batch));
}

void ModelActor::Rollback(std::unique_ptr<PendingBatch> batch) {
  const absl::Status status = fold_->Rollback(batch->request.record);
  Folded(batch->logged_bytes);
  Publish();
  if (!status.ok()) return Answer(std::move(batch), status);
  LearnOutcome outcome;
  outcome.revision = fold_->current().revision;
  Answer(std::move(batch), std::move(outcome));
}

void ModelActor::Refuse(std::unique_ptr<PendingBatch> batch) {
  const absl::Status refusal = batch->request.refusal;
  fold_->Refuse(batch->request.origin, refusal);
  Folded(batch->logged_bytes);
  Publish();
  parts_.observer.OnRefused(name(), refusal);
  Answer(std::move(batch), refusal);
}

void ModelActor::Publish() {
  Snapshot replaced = fold_->current();  // then the one before, given up without the lock
  MutexLock lock(mu_);
  std::swap(published_.snapshot, replaced);
}

void ModelActor::Learn(std::unique_ptr<PendingBatch> batch, Scratch& scratch) {
  const auto start = std::chrono::steady_clock::now();
  const LearnRequest& request = batch->request;
  LearnOutcome outcome;
  const absl::StatusOr<Learned> learned =
      fold_->Step(request.origin, request.batch, scratch,
                  request.predict.has_value() ? &*request.predict : nullptr,
                  request.predict.has_value() ? &outcome.predictions : nullptr);
  outcome.revision = fold_->current().revision;
  Folded(batch->logged_bytes);
  Publish();
  parts_.observer.OnUpdate(name(), request.batch.rows(), std::chrono::steady_clock::now() - start,
                           learned.status());
  if (!learned.ok()) return Answer(std::move(batch), learned.status());
  outcome.learned = *learned;
  Answer(std::move(batch), std::move(outcome));
}

}  // namespace prequel
