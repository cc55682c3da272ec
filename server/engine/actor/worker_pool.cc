#include "server/engine/actor/worker_pool.h"

#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "server/sync/background.h"

namespace prequel {

WorkerPool::WorkerPool(int workers, ThreadClock clock)
    : light_(workers, Weight::kLight, clock), heavy_(workers, Weight::kHeavy, clock) {}

void WorkerPool::Post(std::string_view who, Weight weight, Task task, int share) {
  (weight == Weight::kLight ? light_ : heavy_).Post(who, std::move(task), share);
}

// Both are closed before either is waited for: what still runs starts nothing on the other.
void WorkerPool::Stop() {
  light_.Close();
  heavy_.Close();
  light_.Join();
  heavy_.Join();
}

WorkerPool::Crew::Crew(int workers, Weight weight, ThreadClock clock) : clock_(clock) {
  for (int i = 0; i < workers; ++i) {
    threads_.emplace_back([this, weight] {
      if (weight == Weight::kHeavy) EnterBackground();
      Loop();
    });
  }
}

void WorkerPool::Crew::Post(std::string_view who, Task task, int share) {
  {
    MutexLock lock(mu_);
    if (closed_) return;
    turns_.Push(who, Turn{std::move(task), share});
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

void WorkerPool::Crew::Loop() {
  const auto any = [](const std::string&, const Turn&) { return true; };
  while (true) {
    std::optional<FairQueue<Turn>::Popped> next;
    {
      MutexLock lock(mu_);
      while (!closed_ && !(next = turns_.Pop(any))) wake_.Wait(mu_);
      if (closed_) return;
    }
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
