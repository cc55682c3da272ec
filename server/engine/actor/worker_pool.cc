#include "server/engine/actor/worker_pool.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <utility>

namespace prequel {

WorkerPool::WorkerPool(int workers, Cores& cores, ThreadClock clock)
    : light_(workers, cores, Cores::Where::kForeground, clock),
      heavy_(workers, cores, Cores::Where::kBackground, clock) {}

void WorkerPool::Post(std::string_view who, Weight weight, Task task, int share) {
  (weight == Weight::kHeavy ? heavy_ : light_)
      .Post(who, {std::move(task), share, weight == Weight::kAfterHeavy});
}

// Both are closed before either is waited for: what still runs starts nothing on the other.
void WorkerPool::Stop() {
  light_.Close();
  heavy_.Close();
  light_.Join();
  heavy_.Join();
}

WorkerPool::Crew::Crew(int workers, Cores& cores, Cores::Where where, ThreadClock clock)
    : workers_(workers), cores_(cores), where_(where), clock_(clock) {
  for (int i = 0; i < workers; ++i) {
    threads_.emplace_back([this] {
      std::optional<Cores::Background> background;
      if (where_ == Cores::Where::kBackground) background.emplace(cores_);
      Loop();
    });
  }
}

void WorkerPool::Crew::Post(std::string_view who, Turn turn) {
  {
    MutexLock lock(mu_);
    if (closed_) return;
    if (turn.after_heavy) ++after_heavy_;
    turns_.Push(who, std::move(turn));
    Count(0);
  }
  // Without the lock: who posts from the background is at once behind whom it wakes.
  wake_.NotifyOne();
}

void WorkerPool::Crew::Close() {
  std::deque<Turn> dropped;  // without the lock: tasks own models
  MutexLock lock(mu_);
  closed_ = true;
  const auto any = [](const std::string&, const Turn&) { return true; };
  while (auto next = turns_.Pop(any)) dropped.push_back(std::move(next->second));
  Count(0);
  wake_.NotifyAll();
}

void WorkerPool::Crew::Join() {
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void WorkerPool::Crew::Count(int begun) {
  begun_ += begun;
  if (where_ == Cores::Where::kForeground) return;
  const int due = std::min(begun_ + static_cast<int>(turns_.size()), workers_);
  cores_.Want(due - std::exchange(wanted_, due));
}

std::optional<FairQueue<WorkerPool::Crew::Turn>::Popped> WorkerPool::Crew::Pop(bool paused) {
  if (paused && after_heavy_ == 0) return std::nullopt;
  auto next =
      turns_.Pop([&](const std::string&, const Turn& turn) { return !paused || turn.after_heavy; });
  if (next && next->second.after_heavy) --after_heavy_;
  return next;
}

std::optional<FairQueue<WorkerPool::Crew::Turn>::Popped> WorkerPool::Crew::Next() {
  MutexLock lock(mu_);
  while (!closed_) {
    std::optional<Cores::Time> paused;
    if (where_ == Cores::Where::kForeground && turns_.size() > 0) paused = cores_.PausedUntil();
    if (auto next = Pop(paused.has_value())) {
      Count(1);
      // Who waits for the end of a pause may have been woken in the place of another.
      if (turns_.size() > 0) wake_.NotifyOne();
      return next;
    }
    if (paused) {
      wake_.WaitUntil(mu_, *paused);
    } else {
      wake_.Wait(mu_);
    }
  }
  return std::nullopt;
}

void WorkerPool::Crew::Loop() {
  const bool foreground = where_ == Cores::Where::kForeground;
  while (auto next = Next()) {
    auto& [who, turn] = *next;
    if (foreground) cores_.Begin();
    const double begun = clock_();
    turn.task();
    turn.task = nullptr;
    const double used = clock_() - begun;
    if (foreground) cores_.End();
    MutexLock lock(mu_);
    turns_.Charge(used, turn.share, who);
    Count(-1);
  }
}

}  // namespace prequel
