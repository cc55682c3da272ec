// A fixed number of threads that take turns. The next turn goes to whoever has used the least
// processor time for its share.
#pragma once

#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "server/sync/background.h"
#include "server/sync/fair_queue.h"
#include "server/sync/mutex.h"
#include "server/sync/thread_time.h"

namespace prequel {

// Tasks are posted in somebody's name, and processor time is divided among the names by their
// shares, however long their tasks are: a long job does a part and posts itself again. A task that
// cannot be cut says that it is heavy, and waits for a thread of its own kind, which is in the
// background (server/sync/background.h). Thread-safe.
class WorkerPool {
 public:
  using Task = absl::AnyInvocable<void()>;
  enum class Weight { kLight, kHeavy };

  // `workers` threads of each kind. REQUIRES: workers > 0.
  explicit WorkerPool(int workers, ThreadClock clock = ThreadSeconds);
  ~WorkerPool() { Stop(); }
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Post never blocks. Once stopped, the task is dropped. The queue is as long as its users let it
  // be: the engine posts one task per model at a time.
  void Post(Task task) { Post("", Weight::kLight, std::move(task)); }
  void Post(std::string_view who, Weight weight, Task task, int share = kEvenShare);

  // Stop drops the tasks that wait, and returns when the running ones have ended; no other starts.
  // REQUIRES: not called by a task, nor by two threads at once.
  void Stop();

 private:
  // A Crew is the threads of one kind and their queue. The two have nothing in common: threads of
  // one kind are slower than those of the other, so time used on them says nothing of whose turn it
  // is on the others.
  class Crew {
   public:
    Crew(int workers, Where where, ThreadClock clock);

    struct Turn {
      Task task;
      int share;
    };

    void Post(std::string_view who, Turn turn);
    // Drops what waits; no further task starts.
    void Close();
    // Returns when the running tasks have ended. REQUIRES: closed.
    void Join();

   private:
    void Loop();
    // Next waits for the task whose turn it is; none once closed.
    std::optional<FairQueue<Turn>::Popped> Next();

    const ThreadClock clock_;
    Mutex mu_;
    CondVar wake_;  // a turn, or the end
    FairQueue<Turn> turns_ ABSL_GUARDED_BY(mu_);
    bool closed_ ABSL_GUARDED_BY(mu_) = false;
    std::vector<std::thread> threads_;  // of the constructing and the joining thread
  };

  Crew light_, heavy_;
};

}  // namespace prequel
