#include "server/engine/committer.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/engine/model_actor.h"

namespace prequel {
namespace {

absl::Status Stopped() {
  return absl::UnavailableError("the server shut down before the minibatch was logged");
}

// Refused writes are certain not to be in the log; of failed ones nobody knows.
absl::Status AppendError(const absl::Status& status) {
  if (absl::IsUnavailable(status)) return status;
  return absl::UnknownError(absl::StrCat(
      "the log could not be written, and whether it holds the minibatch will show when the server "
      "accepts writes again: ",
      status.message()));
}

RecordType TypeOf(const LearnRequest& request) {
  if (request.rollback) return RecordType::kRollback;
  return request.refusal.ok() ? RecordType::kMinibatch : RecordType::kRefusal;
}

}  // namespace

Committer::Committer(Log& log, const Clock& clock, EngineObserver& observer,
                     std::size_t max_group_bytes)
    : log_(log),
      clock_(clock),
      observer_(observer),
      max_group_bytes_(max_group_bytes),
      thread_([this] { Run(); }) {}

void Committer::Enqueue(std::unique_ptr<PendingBatch> batch) {
  bool idle = false;
  {
    MutexLock lock(mu_);
    if (!stopped_) {
      idle = waiting_.empty();
      waiting_.push_back(std::move(batch));
      ++enqueued_;
    }
  }
  if (batch != nullptr) return Refuse(std::move(batch), Stopped());
  if (idle) wake_.NotifyOne();
}

void Committer::Flush() {
  MutexLock lock(mu_);
  const std::uint64_t target = enqueued_;
  while (settled_ < target) settled_changed_.Wait(mu_);
}

void Committer::Stop() {
  {
    MutexLock lock(mu_);
    stopped_ = true;
  }
  wake_.NotifyOne();
  if (thread_.joinable()) thread_.join();
}

void Committer::Run() {
  while (NextGroup()) {
    const std::size_t taken = group_.size();
    Commit();
    group_.clear();
    MutexLock lock(mu_);
    settled_ += taken;
    settled_changed_.NotifyAll();
  }
}

// Waits for minibatches and moves as many as fit into group_. False once stopped, when those that
// are left have been answered.
bool Committer::NextGroup() {
  bool stopped = false;
  {
    MutexLock lock(mu_);
    while (!stopped_ && waiting_.empty()) wake_.Wait(mu_);
    stopped = stopped_;
    std::size_t bytes = 0;
    while (!waiting_.empty() && (stopped || bytes < max_group_bytes_)) {
      bytes += waiting_.front()->request.record.size();
      group_.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
    }
  }
  if (!stopped) return true;
  for (std::unique_ptr<PendingBatch>& batch : group_) Refuse(std::move(batch), Stopped());
  MutexLock lock(mu_);
  settled_ = enqueued_;
  settled_changed_.NotifyAll();
  return false;
}

void Committer::Filter(absl::FunctionRef<absl::Status(PendingBatch&)> check) {
  std::size_t kept = 0;
  for (std::unique_ptr<PendingBatch>& batch : group_) {
    const absl::Status status = check(*batch);
    if (!status.ok()) {
      Refuse(std::move(batch), status);
    } else if (&group_[kept++] != &batch) {
      group_[kept - 1] = std::move(batch);
    }
  }
  group_.resize(kept);
}

absl::Status Committer::CheckFresh(const PendingBatch& batch, TimePoint now) const {
  absl::Status status = batch.model->CheckLearning().status();
  if (!status.ok() || batch.request.deadline > now) return status;
  return absl::DeadlineExceededError("the deadline passed before the minibatch was logged");
}

// Gives the minibatch its place in the log unless it has one. OUT_OF_RANGE for a gap.
absl::Status Committer::Number(PendingBatch& batch) {
  const LearnRequest& request = batch.request;
  ModelActor& model = *batch.model;
  if (request.inquiry) {
    // As of its place in the queue: what comes behind it does not count yet.
    batch.request.origin.sequence = model.sequencer.Next(request.origin.id);
    return absl::OkStatus();
  }
  touched_.insert(&model);
  switch (model.sequencer.Take(request.origin)) {
    case Sequencer::Verdict::kGap:
      return SequenceError(request.origin, model.sequencer.Next(request.origin.id));
    case Sequencer::Verdict::kRepeat:
      batch.repeat = true;
      break;
    case Sequencer::Verdict::kNew:
      records_.push_back({.log = model.log(),
                          .type = TypeOf(request),
                          .producer = request.origin.id,
                          .sequence = static_cast<std::uint64_t>(request.origin.sequence),
                          .payload = request.record});
      break;
  }
  return absl::OkStatus();
}

absl::Status Committer::Append() {
  if (records_.empty()) return absl::OkStatus();
  std::size_t bytes = 0;
  for (const LogRecord& record : records_) bytes += record.payload.size();
  const auto start = std::chrono::steady_clock::now();
  absl::Status status = log_.Append(records_);
  observer_.OnCommit(records_.size(), bytes, std::chrono::steady_clock::now() - start, status);
  return status;
}

void Committer::Commit() {
  const TimePoint now = clock_.Now();
  records_.clear();
  touched_.clear();
  Filter([&](PendingBatch& batch) { return CheckFresh(batch, now); });
  Filter([&](PendingBatch& batch) { return Number(batch); });
  const absl::Status status = Append();
  for (ModelActor* model : touched_) model->sequencer.Settle(status.ok());
  for (std::unique_ptr<PendingBatch>& batch : group_) {
    if (status.ok()) {
      Deliver(std::move(batch));
    } else {
      Refuse(std::move(batch), AppendError(status));
    }
  }
}

void Committer::Deliver(std::unique_ptr<PendingBatch> batch) {
  ModelActor& model = *batch->model;
  if (batch->request.inquiry) {
    LearnOutcome outcome;
    outcome.next_sequence = batch->request.origin.sequence;  // see Number
    return Answer(std::move(batch), std::move(outcome));
  }
  batch->logged_bytes = batch->request.record.size();
  if (!batch->request.rollback) batch->request.record = {};
  model.Deliver(std::move(batch));
}

void Committer::Refuse(std::unique_ptr<PendingBatch> batch, const absl::Status& status) {
  observer_.OnRefused(batch->model->name(), status);
  Answer(std::move(batch), status);
}

}  // namespace prequel
