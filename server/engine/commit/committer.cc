#include "server/engine/commit/committer.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/engine/commit/log_tail.h"

namespace prequel {
namespace {

absl::Status Stopped() {
  return absl::UnavailableError("the server shut down before the minibatch was logged");
}

// Writes that were refused are certain not to be in the log; of those that failed nobody knows.
absl::Status AppendError(const absl::Status& status) {
  if (absl::IsUnavailable(status)) return status;
  return absl::UnknownError(absl::StrCat(
      "the log could not be written, and whether it holds the minibatch will show when the server "
      "accepts writes again: ",
      status.message()));
}

}  // namespace

Committer::Committer(Log& log, const Clock& clock, const EngineObservers& observers,
                     std::size_t max_group_bytes)
    : log_(log),
      clock_(clock),
      observers_(observers),
      max_group_bytes_(max_group_bytes),
      thread_([this] { Run(); }) {}

void Committer::Open(LogId log, const Ledger& ledger) {
  auto tail = std::make_shared<LogTail>(ledger);
  MutexLock lock(mu_);
  doors_[log] = {.tail = std::move(tail)};
}

void Committer::Close(LogId log, const absl::Status& status) {
  MutexLock lock(mu_);
  if (const auto door = doors_.find(log); door != doors_.end()) door->second.closed = status;
  for (Item& item : waiting_) {
    if (item.log == log) item.closed = status;
  }
  const std::uint64_t target = enqueued_;
  while (settled_ < target) settled_changed_.Wait(mu_);
}

void Committer::Reopen(LogId log) {
  MutexLock lock(mu_);
  if (const auto door = doors_.find(log); door != doors_.end()) door->second.closed = {};
}

void Committer::Forget(LogId log) {
  MutexLock lock(mu_);
  doors_.erase(log);
}

void Committer::Append(LogId log, std::unique_ptr<Delivery> delivery) {
  Enqueue({.log = log, .what = std::move(delivery)});
}

void Committer::AskNext(LogId log, std::string producer, TimePoint deadline,
                        Admission::Ticket ticket, NextCallback done) {
  Enqueue({.log = log,
           .what = Query{std::move(producer), deadline, std::move(ticket), std::move(done)}});
}

void Committer::Enqueue(Item item) {
  absl::Status refused;
  {
    MutexLock lock(mu_);
    const auto door = doors_.find(item.log);
    if (stopped_) {
      refused = Stopped();
    } else if (door == doors_.end()) {
      refused = absl::NotFoundError("the model was deleted");
    } else if (!door->second.closed.ok()) {
      refused = door->second.closed;
    } else {
      item.tail = door->second.tail;
      if (waiting_.empty()) wake_.NotifyOne();
      waiting_.push_back(std::move(item));
      ++enqueued_;
      return;
    }
  }
  Refuse(std::move(item), refused);
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

// NextGroup waits for deliveries and moves as many as fit into group_. False once stopped, when
// those that are left have been answered.
bool Committer::NextGroup() {
  bool stopped = false;
  {
    MutexLock lock(mu_);
    while (!stopped_ && waiting_.empty()) wake_.Wait(mu_);
    stopped = stopped_;
    std::size_t bytes = 0;
    while (!waiting_.empty() && (stopped || bytes < max_group_bytes_)) {
      const auto* delivery = std::get_if<std::unique_ptr<Delivery>>(&waiting_.front().what);
      if (delivery != nullptr) bytes += (*delivery)->payload.size();
      group_.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
    }
  }
  if (!stopped) return true;
  for (Item& item : group_) Refuse(std::move(item), Stopped());
  MutexLock lock(mu_);
  settled_ = enqueued_;
  settled_changed_.NotifyAll();
  return false;
}

void Committer::Filter(absl::FunctionRef<absl::Status(Item&)> check) {
  std::size_t kept = 0;
  for (Item& item : group_) {
    const absl::Status status = check(item);
    if (!status.ok()) {
      Refuse(std::move(item), status);
    } else if (&group_[kept++] != &item) {
      group_[kept - 1] = std::move(item);
    }
  }
  group_.erase(group_.begin() + static_cast<std::ptrdiff_t>(kept), group_.end());
}

absl::Status Committer::CheckFresh(const Item& item, TimePoint now) {
  if (!item.closed.ok()) return item.closed;
  const auto* delivery = std::get_if<std::unique_ptr<Delivery>>(&item.what);
  const TimePoint deadline =
      delivery != nullptr ? (*delivery)->deadline : std::get<Query>(item.what).deadline;
  if (deadline > now) return absl::OkStatus();
  return absl::DeadlineExceededError("the deadline passed before the minibatch was logged");
}

// Number gives the delivery its number unless it has been logged, and a query its answer.
// OUT_OF_RANGE for a gap.
absl::Status Committer::Number(Item& item, TimePoint now) {
  LogTail& tail = *item.tail;
  if (auto* query = std::get_if<Query>(&item.what)) {
    query->next = tail.Next(query->producer);
    return absl::OkStatus();
  }
  Delivery& delivery = *std::get<std::unique_ptr<Delivery>>(item.what);
  touched_.insert(&tail);
  switch (tail.Take(delivery.origin)) {
    case LogTail::Verdict::kGap:
      return SequenceError(delivery.origin, tail.Next(delivery.origin.id));
    case LogTail::Verdict::kRepeat:
      delivery.repeat = true;
      break;
    case LogTail::Verdict::kNew:
      logged_.push_back(&delivery);
      records_.push_back({.log = item.log,
                          .type = TypeOf(delivery.record),
                          .producer = delivery.origin.id,
                          .sequence = static_cast<std::uint64_t>(delivery.origin.sequence),
                          .time_us = MicrosecondsOf(now),
                          .payload = delivery.payload});
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
  observers_.Tell(&EngineObserver::OnCommit, records_.size(), bytes,
                  std::chrono::steady_clock::now() - start, status);
  return status;
}

void Committer::Commit() {
  const TimePoint now = clock_.Now();
  records_.clear();
  logged_.clear();
  touched_.clear();
  Filter([now](const Item& item) { return CheckFresh(item, now); });
  Filter([this, now](Item& item) { return Number(item, now); });
  const absl::Status status = Append();
  for (std::size_t i = 0; status.ok() && i < logged_.size(); ++i) {
    logged_[i]->offset = records_[i].offset;
    logged_[i]->time_us = records_[i].time_us;
  }
  for (LogTail* tail : touched_) tail->Settle(status.ok());
  for (Item& item : group_) {
    if (status.ok()) {
      Deliver(std::move(item));
    } else {
      Refuse(std::move(item), AppendError(status));
    }
  }
}

void Committer::Deliver(Item item) {
  if (auto* query = std::get_if<Query>(&item.what)) {
    query->ticket = {};
    return query->done(query->next);
  }
  auto delivery = std::get<std::unique_ptr<Delivery>>(std::move(item.what));
  delivery->logged_bytes = delivery->payload.size();
  delivery->payload = {};
  Sink& sink = *delivery->sink;
  sink.Deliver(std::move(delivery));
}

void Committer::Refuse(Item item, const absl::Status& status) {
  if (auto* query = std::get_if<Query>(&item.what)) {
    query->ticket = {};
    return query->done(status);
  }
  auto delivery = std::get<std::unique_ptr<Delivery>>(std::move(item.what));
  const std::shared_ptr<Sink> sink = delivery->sink;
  sink->Refuse(std::move(delivery), status);
}

}  // namespace prequel
