#include "server/engine/actor/worker_pool.h"

#include <deque>
#include <optional>
#include <string>
#include <utility>

namespace prequel {

WorkerPool::WorkerPool(int workers, ThreadClock clock)
    : light_(workers, Where::kForeground, clock), heavy_(workers, Where::kBackground, clock) {}

void WorkerPool::Post(std::string_view who, Weight weight, Task task, int share) {
  (weight == Weight::kHeavy ? heavy_ : light_).Post(who, {std::move(task), share});
}

// Stop closes both crews before it waits for either: what still runs starts nothing on the other.
void WorkerPool::Stop() {
  light_.Close();
  heavy_.Close();
  light_.Join();
  heavy_.Join();
}

WorkerPool::Crew::Crew(int workers, Where where, ThreadClock clock) : clock_(clock) {
  for (int i = 0; i < workers; ++i) {
    threads_.emplace_back([this, where] {
      if (where == Where::kBackground) EnterBackground();
      Loop();
    });
  }
}

void WorkerPool::Crew::Post(std::string_view who, Turn turn) {
  {
    MutexLock lock(mu_);
    if (closed_) return;
    turns_.Push(who, std::move(turn));
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
  wake_.NotifyAll();
}

void WorkerPool::Crew::Join() {
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

std::optional<FairQueue<WorkerPool::Crew::Turn>::Popped> WorkerPool::Crew::Next() {
  const auto any = [](const std::string&, const Turn&) { return true; };
  MutexLock lock(mu_);
  while (!closed_) {
    if (auto next = turns_.Pop(any)) return next;
    wake_.Wait(mu_);
  }
  return std::nullopt;
}

void WorkerPool::Crew::Loop() {
  while (auto next = Next()) {
    auto& [who, turn] = *next;
    const double begun = clock_();
    turn.task();
    turn.task = nullptr;
    const double used = clock_() - begun;
    MutexLock lock(mu_);
    turns_.Charge(used, turn.share, who);
  }
}

}  // namespace prequel
