#include "server/engine/actor/worker_pool.h"

#include <optional>
#include <utility>

#include "server/sync/background.h"
#include "server/sync/thread_time.h"

namespace prequel {

WorkerPool::WorkerPool(int workers) {
  for (int i = 0; i < workers; ++i) {
    threads_.emplace_back([this] { Loop(Weight::kLight); });
    threads_.emplace_back([this] {
      EnterBackground();
      Loop(Weight::kHeavy);
    });
  }
}

void WorkerPool::Post(std::string_view who, Weight weight, Task task) {
  MutexLock lock(mu_);
  if (stopped_) return;
  turns_.Push(who, Turn{weight, std::move(task)});
  (weight == Weight::kLight ? wake_light_ : wake_heavy_).NotifyOne();
}

void WorkerPool::Stop() {
  std::deque<Turn> dropped;
  {
    MutexLock lock(mu_);
    stopped_ = true;
    const auto any = [](const std::string&, const Turn&) { return true; };
    while (auto next = turns_.Pop(any)) dropped.push_back(std::move(next->second));
  }
  wake_light_.NotifyAll();
  wake_heavy_.NotifyAll();
  dropped.clear();  // without the lock: tasks own models
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void WorkerPool::Loop(Weight weight) {
  const auto may = [weight](const std::string&, const Turn& turn) { return turn.weight == weight; };
  CondVar& wake = weight == Weight::kLight ? wake_light_ : wake_heavy_;
  while (true) {
    std::optional<Next> next;
    {
      MutexLock lock(mu_);
      while (!stopped_ && !(next = turns_.Pop(may))) wake.Wait(mu_);
      if (stopped_) return;
    }
    Run(*std::move(next));
  }
}

void WorkerPool::Run(Next next) {
  const double begun = ThreadSeconds();
  next.second.task();
  next.second.task = nullptr;
  const double used = ThreadSeconds() - begun;
  MutexLock lock(mu_);
  turns_.Charge(used, next.first);
}

}  // namespace prequel
