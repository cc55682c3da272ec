// A fixed number of threads that take turns, each of them next that has used the least processor
// time for its share.
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

// Thread-safe. Tasks come in the names of those that they are for, and processor time is divided
// among these by their shares, however long their tasks are: a long job does a part and posts
// itself again. A task that cannot be cut says that it is heavy, and waits for a thread of its own
// kind, which is in the background (server/sync/background.h).
class WorkerPool {
 public:
  using Task = absl::AnyInvocable<void()>;
  enum class Weight { kLight, kHeavy };

  // So many threads of each kind. REQUIRES: workers > 0.
  explicit WorkerPool(int workers, ThreadClock clock = ThreadSeconds);
  ~WorkerPool() { Stop(); }
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Never blocks. Once stopped, the task is dropped. The queue is as long as its users let it be:
  // the engine posts one task per model at a time.
  void Post(Task task) { Post("", Weight::kLight, std::move(task)); }
  void Post(std::string_view who, Weight weight, Task task, int share = kEvenShare);

  // No further task starts; returns when the running ones have ended. Those waiting are dropped.
  // REQUIRES: not called by a task, nor by two threads at once.
  void Stop();

 private:
  // The threads of one kind and their queue. The kinds have nothing in common: one's threads are
  // slower than the other's, so what is used on them says nothing of whose turn it is on those.
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
    // The one whose turn it is; waits for it. None once closed.
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
