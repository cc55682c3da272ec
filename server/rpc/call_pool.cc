#include "server/rpc/call_pool.h"

#include <algorithm>
#include <utility>

namespace prequel {
namespace {

// A call that has begun and waits between two pieces keeps its thread, so there are kPaused more
// threads than places.
constexpr int kPaused = 30;
// A caller may begin one in kParts of the calls that may still begin, so that it takes some sixteen
// callers to hold them all.
constexpr int kParts = 8;
// A piece shorter than this goes on at once.
constexpr double kPieceSeconds = 5e-3;

}  // namespace

class CallPool::Piece {
 public:
  explicit Piece(ThreadClock clock) : clock_(clock) {}
  double used() const { return clock_() - begun_; }
  double Take() {
    const double now = clock_();
    return now - std::exchange(begun_, now);
  }

 private:
  const ThreadClock clock_;
  double begun_ = clock_();
};

CallPool::CallPool(int places, std::size_t max_queued, std::string refusal, Where where,
                   ThreadClock clock)
    : places_(places),
      max_begun_(places + kPaused),
      max_queued_(max_queued),
      refusal_(std::move(refusal)),
      where_(where),
      clock_(clock) {
  for (int i = 0; i < max_begun_; ++i) {
    threads_.emplace_back([this] {
      if (where_ == Where::kBackground) EnterBackground();
      Loop(false);
    });
  }
  if (where_ == Where::kForeground) return;
  for (int i = 0; i < places_; ++i) threads_.emplace_back([this] { Loop(true); });
}

CallPool::~CallPool() {
  {
    MutexLock lock(mu_);
    stopping_ = true;
    to_work_.NotifyAll();
    to_answer_.NotifyAll();
  }
  for (std::thread& thread : threads_) thread.join();
}

void CallPool::Run(const Asker& who, StillWanted wanted, Work work, Answer answer) {
  Task task{who, std::move(wanted), std::move(work), std::move(answer)};
  const absl::Status status = Admit(task);
  if (!status.ok()) task.answer(status);
}

void CallPool::Run(const UnaryCall& call, Work work) {
  Run(call.who(), call.wanted(), std::move(work),
      [call](const absl::Status& status) { call.Finish(status); });
}

void CallPool::Run(const UnaryCall& call, absl::AnyInvocable<absl::Status()> work) {
  Run(call, Work([work = std::move(work)](const Proceed&) mutable { return work(); }));
}

bool CallPool::HasRoom(const Asker& who) const {
  if (queued_ >= max_queued_) return false;
  const auto asked = asked_.find(who.caller);
  if (asked == asked_.end()) return true;
  const std::size_t had = asked->second.queued;
  const std::size_t most = (max_queued_ - (queued_ - had)) / 2 + 1;
  if (had >= most) return false;
  const auto about = asked->second.about.find(who.about);
  return about == asked->second.about.end() || about->second.queued < 3 * (most - had);
}

void CallPool::Count(const Asker& who, int queued, int begun) {
  const auto count = [&](auto& by_name, const std::string& name) {
    const auto it = by_name.try_emplace(name).first;
    it->second.queued += static_cast<std::size_t>(queued);
    it->second.begun += begun;
    return it;
  };
  queued_ += static_cast<std::size_t>(queued);
  all_begun_ += begun;
  const auto asked = count(asked_, who.caller);
  const auto about = count(asked->second.about, who.about);
  if (about->second.queued == 0 && about->second.begun == 0) asked->second.about.erase(about);
  if (asked->second.about.empty()) asked_.erase(asked);
}

absl::Status CallPool::Admit(Task& task) {
  MutexLock lock(mu_);
  if (draining_) return absl::UnavailableError("the server is stopping");
  if (!HasRoom(task.who)) return absl::ResourceExhaustedError(refusal_);
  Count(task.who, 1, 0);
  const Asker who = task.who;
  queue_.Push(who.caller, who.about, Item(std::move(task)));
  ++unanswered_;
  Dispatch();
  return absl::OkStatus();
}

void CallPool::Drain(TimePoint deadline) {
  MutexLock lock(mu_);
  draining_ = true;
  while (unanswered_ > 0 && answered_.WaitUntil(mu_, deadline)) {
  }
}

// What has begun goes on. A caller may begin what nobody else has a place for, or else a part of
// what is left, one call at least; and about one thing no more than can be worked on at once.
bool CallPool::MayBegin(const std::string& caller, const std::string& about,
                        const Item& item) const {
  if (std::holds_alternative<Pause*>(item)) return true;
  const Asked& asked = asked_.at(caller);
  const int left = max_begun_ - all_begun_, others = all_begun_ - asked.begun;
  const int most = std::max((left + kParts - 1) / kParts, places_ - others);
  return asked.begun < most && asked.about.at(about).begun < places_;
}

void CallPool::Dispatch() {
  while (running_ < places_) {
    auto next =
        queue_.Pop([this](const std::string& caller, const std::string& about, const Item& item)
                       ABSL_NO_THREAD_SAFETY_ANALYSIS { return MayBegin(caller, about, item); });
    if (!next) return;
    ++running_;
    Item& item = next->second.second;
    if (Pause** pause = std::get_if<Pause*>(&item)) {
      (*pause)->may_go = true;
      (*pause)->go.NotifyOne();
      continue;
    }
    Task& task = std::get<Task>(item);
    Count(task.who, -1, 1);
    work_.push_back([this, task = std::move(task)]() mutable { Perform(std::move(task)); });
    to_work_.NotifyOne();
  }
}

absl::Status CallPool::Proceeds(const Task& task, Piece& piece) {
  absl::Status status = task.wanted ? task.wanted() : absl::OkStatus();
  if (!status.ok() || piece.used() < kPieceSeconds) return status;
  AwaitTurn(task.who, piece.Take());
  return status;
}

void CallPool::AwaitTurn(const Asker& who, double used) {
  Pause pause;
  MutexLock lock(mu_);
  // The pause is queued before the call is charged, so that its line never counts as one that was
  // away (fair_queue.h).
  queue_.PushFront(who.caller, who.about, Item(&pause));
  queue_.Charge(used, who.share, who.caller, who.about);
  --running_;
  Dispatch();
  while (!pause.may_go) pause.go.Wait(mu_);
}

void CallPool::Perform(Task task) {
  Piece piece(clock_);
  absl::Status status = task.wanted ? task.wanted() : absl::OkStatus();
  if (status.ok()) {
    status = task.work([&] { return Proceeds(task, piece); });
  }
  if (where_ == Where::kForeground) {
    GiveAnswer(task, status);
    MutexLock lock(mu_);
    --running_;
    return End(task.who, piece.Take());
  }
  {
    MutexLock lock(mu_);
    queue_.ChargeSoFar(piece.Take(), task.who.share, task.who.caller, task.who.about);
    --running_;
    answers_.push_back([this, task = std::move(task), status]() mutable {
      Piece answering(clock_);
      GiveAnswer(task, status);
      MutexLock again(mu_);
      End(task.who, answering.Take());
    });
    Dispatch();
  }
  // Without the lock: a thread of the background is at once behind whom it wakes.
  to_answer_.NotifyOne();
}

// GiveAnswer also frees what the call holds, before it counts as answered.
void CallPool::GiveAnswer(Task& task, const absl::Status& status) {
  task.answer(status);
  task.answer = nullptr;
  task.work = nullptr;
  task.wanted = nullptr;
}

void CallPool::End(const Asker& who, double used) {
  queue_.Charge(used, who.share, who.caller, who.about);
  Count(who, 0, -1);
  --unanswered_;
  answered_.NotifyAll();
  Dispatch();
}

void CallPool::Loop(bool answers) {
  while (auto job = Next(answers)) job();
  // The other threads end as well.
  MutexLock lock(mu_);
  to_work_.NotifyAll();
  to_answer_.NotifyAll();
}

CallPool::Jobs::value_type CallPool::Next(bool answers) {
  Jobs& jobs = answers ? answers_ : work_;
  CondVar& wake = answers ? to_answer_ : to_work_;
  MutexLock lock(mu_);
  while (jobs.empty()) {
    if (stopping_ && unanswered_ == 0) return nullptr;
    wake.Wait(mu_);
  }
  auto job = std::move(jobs.front());
  jobs.pop_front();
  return job;
}

}  // namespace prequel
