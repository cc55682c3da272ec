#include "server/engine/actor/worker_pool.h"

#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "server/sync/background.h"
#include "server/sync/thread_time.h"

namespace prequel {

WorkerPool::WorkerPool(int workers)
    : light_(workers, Weight::kLight), heavy_(workers, Weight::kHeavy) {}

void WorkerPool::Post(std::string_view who, Weight weight, Task task) {
  (weight == Weight::kLight ? light_ : heavy_).Post(who, std::move(task));
}

// Both are closed before either is waited for: what still runs starts nothing on the other.
void WorkerPool::Stop() {
  light_.Close();
  heavy_.Close();
  light_.Join();
  heavy_.Join();
}

WorkerPool::Crew::Crew(int workers, Weight weight) {
  for (int i = 0; i < workers; ++i) {
    threads_.emplace_back([this, weight] {
      if (weight == Weight::kHeavy) EnterBackground();
      Loop();
    });
  }
}

void WorkerPool::Crew::Post(std::string_view who, Task task) {
  MutexLock lock(mu_);
  if (closed_) return;
  turns_.Push(who, std::move(task));
  wake_.NotifyOne();
}

void WorkerPool::Crew::Close() {
  std::deque<Task> dropped;  // without the lock: tasks own models
  MutexLock lock(mu_);
  closed_ = true;
  const auto any = [](const std::string&, const Task&) { return true; };
  while (auto next = turns_.Pop(any)) dropped.push_back(std::move(next->second));
  wake_.NotifyAll();
}

void WorkerPool::Crew::Join() {
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void WorkerPool::Crew::Loop() {
  const auto any = [](const std::string&, const Task&) { return true; };
  while (true) {
    std::optional<FairQueue<Task>::Popped> next;
    {
      MutexLock lock(mu_);
      while (!closed_ && !(next = turns_.Pop(any))) wake_.Wait(mu_);
      if (closed_) return;
    }
    auto& [who, task] = *next;
    const double begun = ThreadSeconds();
    task();
    task = nullptr;
    const double used = ThreadSeconds() - begun;
    MutexLock lock(mu_);
    turns_.Charge(used, who);
  }
}

}  // namespace prequel
