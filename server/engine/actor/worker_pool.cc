#include "server/engine/actor/worker_pool.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "server/sync/thread_time.h"

namespace prequel {

WorkerPool::WorkerPool(int workers) : most_heavy_(std::max(1, workers - 1)) {
  for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { Run(); });
}

void WorkerPool::Post(std::string_view who, Weight weight, Task task) {
  {
    MutexLock lock(mu_);
    if (stopped_) return;
    turns_.Push(who, Turn{weight, std::move(task)});
  }
  wake_.NotifyOne();
}

void WorkerPool::Stop() {
  std::deque<Turn> dropped;
  {
    MutexLock lock(mu_);
    stopped_ = true;
    const auto any = [](const std::string&, const Turn&) { return true; };
    while (auto next = turns_.Pop(any)) dropped.push_back(std::move(next->second));
  }
  wake_.NotifyAll();
  dropped.clear();  // without the lock: tasks own models
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

bool WorkerPool::MayBegin(const Turn& turn) const {
  return turn.weight == Weight::kLight || heavy_ < most_heavy_;
}

void WorkerPool::Run() {
  while (true) {
    std::optional<std::pair<std::string, Turn>> next;
    {
      MutexLock lock(mu_);
      while (!stopped_) {
        next = turns_.Pop([this](const std::string&, const Turn& turn)
                              ABSL_NO_THREAD_SAFETY_ANALYSIS { return MayBegin(turn); });
        if (next) break;
        wake_.Wait(mu_);
      }
      if (stopped_) break;
      if (next->second.weight == Weight::kHeavy) ++heavy_;
    }
    const double begun = ThreadSeconds();
    next->second.task();
    next->second.task = nullptr;
    const double used = ThreadSeconds() - begun;
    MutexLock lock(mu_);
    turns_.Charge(used, next->first);
    if (next->second.weight != Weight::kHeavy) continue;
    --heavy_;
    wake_.NotifyAll();
  }
}

}  // namespace prequel
