#include "server/rpc/call_pool.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/sync/background.h"
#include "server/sync/thread_time.h"

namespace prequel {
namespace {

// Calls that have begun and wait between two pieces keep their threads: so many more than places.
constexpr int kPaused = 14;
// A piece shorter than this goes on at once.
constexpr double kPieceSeconds = 5e-3;

}  // namespace

class CallPool::Piece {
 public:
  explicit Piece(const Asker& who) : who_(who) {}
  const Asker& who() const { return who_; }
  double used() const { return ThreadSeconds() - begun_; }
  double Take() { return ThreadSeconds() - std::exchange(begun_, ThreadSeconds()); }

 private:
  const Asker& who_;
  double begun_ = ThreadSeconds();
};

CallPool::CallPool(int at_once, std::size_t max_queued, std::string refusal, int spare)
    : at_once_(at_once),
      spare_(spare),
      max_begun_(at_once + spare + kPaused),
      max_queued_(max_queued),
      refusal_(std::move(refusal)) {
  for (int i = 0; i < max_begun_; ++i) {
    threads_.emplace_back([this] { Loop(Size::kSmall); });
    if (spare_ == 0) continue;
    threads_.emplace_back([this] {
      EnterBackground();
      Loop(Size::kLarge);
    });
  }
}

CallPool::~CallPool() {
  {
    MutexLock lock(mu_);
    stopping_ = true;
  }
  foreground_.wake.NotifyAll();
  background_.wake.NotifyAll();
  for (std::thread& thread : threads_) thread.join();
}

void CallPool::Run(const Asker& who, StillWanted wanted, Work work, Answer answer, Size size) {
  Task task{std::move(wanted), std::move(work), std::move(answer), size, who.share};
  const absl::Status status = Admit(who, task);
  if (!status.ok()) task.answer(status);
}

void CallPool::Run(const UnaryCall& call, Work work, Size size) {
  Run(
      call.who(), call.wanted(), std::move(work),
      [call](const absl::Status& status) { call.Finish(status); }, size);
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

absl::Status CallPool::Admit(const Asker& who, Task& task) {
  MutexLock lock(mu_);
  if (draining_) return absl::UnavailableError("the server is stopping");
  if (!HasRoom(who)) return absl::ResourceExhaustedError(refusal_);
  queue_.Push(who.caller, who.about, Item(std::move(task)));
  Count(who, 1, 0);
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

// A caller may have begun as many as are left for the others, and of what it asks about one thing
// no more than can be worked on at once.
bool CallPool::MayBegin(const std::string& caller, const std::string& about,
                        const Item& item) const {
  const auto* pause = std::get_if<Pause*>(&item);
  const Size size = pause != nullptr ? (*pause)->size : std::get<Task>(item).size;
  if (size == Size::kLarge && large_ >= at_once_) return false;
  if (pause != nullptr) return true;
  const Asked& asked = asked_.at(caller);
  return asked.begun < max_begun_ - all_begun_ && asked.about.at(about).begun < at_once_;
}

void CallPool::Dispatch() {
  while (running_ < at_once_ + spare_) {
    auto next =
        queue_.Pop([this](const std::string& caller, const std::string& about, const Item& item)
                       ABSL_NO_THREAD_SAFETY_ANALYSIS { return MayBegin(caller, about, item); });
    if (!next) return;
    auto& [about, item] = next->second;
    if (Pause** pause = std::get_if<Pause*>(&item)) {
      TakePlace((*pause)->size);
      (*pause)->may_go = true;
      (*pause)->go.NotifyOne();
      continue;
    }
    Task& task = std::get<Task>(item);
    const Size size = task.size;
    TakePlace(size);
    Asker who{std::move(next->first), std::move(about), task.share};
    Count(who, -1, 1);
    Give(size,
         [this, who = std::move(who), task = std::move(task)]() mutable { Perform(who, task); });
  }
}

CallPool::Crew& CallPool::CrewOf(Size size) {
  return size == Size::kLarge && spare_ > 0 ? background_ : foreground_;
}

void CallPool::Give(Size size, absl::AnyInvocable<void()> job) {
  Crew& crew = CrewOf(size);
  crew.jobs.push_back(std::move(job));
  crew.wake.NotifyOne();
}

void CallPool::TakePlace(Size size) {
  ++running_;
  if (size == Size::kLarge) ++large_;
}

void CallPool::LeavePlace(Size size) {
  --running_;
  if (size == Size::kLarge) --large_;
}

absl::Status CallPool::Proceeds(Piece& piece, const Task& task) {
  absl::Status status = task.wanted ? task.wanted() : absl::OkStatus();
  if (!status.ok() || piece.used() < kPieceSeconds) return status;
  Pause pause{.size = task.size};
  MutexLock lock(mu_);
  const Asker& who = piece.who();
  // It goes on: it does not come back as one that was away.
  queue_.PushFront(who.caller, who.about, Item(&pause));
  queue_.Charge(piece.Take(), who.share, who.caller, who.about);
  LeavePlace(task.size);
  Dispatch();
  while (!pause.may_go) pause.go.Wait(mu_);
  return status;
}

void CallPool::Perform(const Asker& who, Task& task) {
  Piece piece(who);
  absl::Status status = task.wanted ? task.wanted() : absl::OkStatus();
  if (status.ok()) {
    status = task.work([&] { return Proceeds(piece, task); });
  }
  const Size size = task.size;
  if (size == Size::kSmall) {
    task.answer(status);
    task = {};
  }
  MutexLock lock(mu_);
  queue_.Charge(piece.Take(), who.share, who.caller, who.about);
  LeavePlace(size);
  if (size == Size::kSmall) return Answered(who);
  Give(Size::kSmall, [this, who, task = std::move(task), status]() mutable {
    task.answer(status);
    task = {};
    MutexLock again(mu_);
    Answered(who);
  });
  Dispatch();
}

void CallPool::Answered(const Asker& who) {
  Count(who, 0, -1);
  --unanswered_;
  answered_.NotifyAll();
  Dispatch();
}

void CallPool::Loop(Size size) {
  while (true) {
    absl::AnyInvocable<void()> job;
    {
      MutexLock lock(mu_);
      Crew& crew = CrewOf(size);
      while (crew.jobs.empty() && !(stopping_ && unanswered_ == 0)) crew.wake.Wait(mu_);
      if (crew.jobs.empty()) break;
      job = std::move(crew.jobs.front());
      crew.jobs.pop_front();
    }
    job();
  }
  // The others end as well.
  MutexLock lock(mu_);
  foreground_.wake.NotifyAll();
  background_.wake.NotifyAll();
}

}  // namespace prequel
