// A fixed number of threads that take turns, each of them next that has used the least processor
// time.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "server/sync/fair_queue.h"
#include "server/sync/mutex.h"

namespace prequel {

// Thread-safe. Tasks come in the names of those that they are for, and processor time is divided
// evenly among these, however long their tasks are: a long job does a part and posts itself again.
// One that cannot be cut says that it is heavy: heavy tasks never hold the last thread.
class WorkerPool {
 public:
  using Task = absl::AnyInvocable<void()>;
  enum class Weight { kLight, kHeavy };

  // REQUIRES: workers > 0. Of one, heavy tasks run as the others.
  explicit WorkerPool(int workers);
  ~WorkerPool() { Stop(); }
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Never blocks. Once stopped, the task is dropped. The queue is as long as its users let it be:
  // the engine posts one task per model at a time.
  void Post(Task task) { Post("", Weight::kLight, std::move(task)); }
  void Post(std::string_view who, Weight weight, Task task);

  // No further task starts; returns when the running ones have ended. Those waiting are dropped.
  // REQUIRES: not called by a task, nor by two threads at once.
  void Stop();

 private:
  struct Turn {
    Weight weight;
    Task task;
  };
  void Run();
  bool MayBegin(const Turn& turn) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const int most_heavy_;
  Mutex mu_;
  CondVar wake_;
  FairQueue<Turn> turns_ ABSL_GUARDED_BY(mu_);
  int heavy_ ABSL_GUARDED_BY(mu_) = 0;  // running
  bool stopped_ ABSL_GUARDED_BY(mu_) = false;

  std::vector<std::thread> threads_;  // of the constructing and the stopping thread
};

}  // namespace prequel
