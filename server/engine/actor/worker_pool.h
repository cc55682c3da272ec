// A fixed number of threads that run tasks first come, first served.
#pragma once

#include <deque>
#include <thread>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "server/sync/mutex.h"

namespace prequel {

// Thread-safe. Fair as far as its tasks are short: a long job does a part and posts itself again.
class WorkerPool {
 public:
  using Task = absl::AnyInvocable<void()>;

  explicit WorkerPool(int workers);
  ~WorkerPool() { Stop(); }
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Never blocks. Once stopped, the task is dropped. The queue is as long as its users let it be:
  // the engine posts one task per model at a time.
  void Post(Task task);

  // No further task starts; returns when the running ones have ended. Those waiting are dropped.
  // REQUIRES: not called by a task, nor by two threads at once.
  void Stop();

 private:
  void Run();

  Mutex mu_;
  CondVar wake_;
  std::deque<Task> tasks_ ABSL_GUARDED_BY(mu_);
  bool stopped_ ABSL_GUARDED_BY(mu_) = false;

  std::vector<std::thread> threads_;  // of the constructing and the stopping thread
};

}  // namespace prequel
