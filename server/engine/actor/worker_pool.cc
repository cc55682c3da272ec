#include "server/engine/actor/worker_pool.h"

#include <utility>

namespace prequel {

WorkerPool::WorkerPool(int workers) {
  for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { Run(); });
}

void WorkerPool::Post(Task task) {
  {
    MutexLock lock(mu_);
    if (stopped_) return;
    tasks_.push_back(std::move(task));
  }
  wake_.NotifyOne();
}

void WorkerPool::Stop() {
  std::deque<Task> dropped;
  {
    MutexLock lock(mu_);
    stopped_ = true;
    dropped.swap(tasks_);
  }
  wake_.NotifyAll();
  dropped.clear();  // without the lock: tasks own models
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void WorkerPool::Run() {
  while (true) {
    Task task;
    {
      MutexLock lock(mu_);
      while (!stopped_ && tasks_.empty()) wake_.Wait(mu_);
      if (stopped_) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
}

}  // namespace prequel
