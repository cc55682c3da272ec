// A fixed number of threads that take turns, each of them next that has used the least processor
// time for its share.
#pragma once

#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "server/sync/cores.h"
#include "server/sync/fair_queue.h"
#include "server/sync/mutex.h"
#include "server/sync/thread_time.h"

namespace prequel {

// Thread-safe. Tasks come in the names of those that they are for, and processor time is divided
// among these by their shares, however long their tasks are: a long job does a part and posts
// itself again. One that cannot be cut says that it is heavy, and waits for a thread of its own
// kind: these are in the background, and go behind the others where they want the same core, but
// for the part that `Cores` keeps for them.
class WorkerPool {
 public:
  using Task = absl::AnyInvocable<void()>;
  // kAfterHeavy: light, but a heavy task waits for its end.
  enum class Weight { kLight, kAfterHeavy, kHeavy };

  // So many threads of each kind. REQUIRES: workers > 0.
  WorkerPool(int workers, Cores& cores, ThreadClock clock = ThreadSeconds);
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
    Crew(int workers, Cores& cores, Cores::Where where, ThreadClock clock);

    struct Turn {
      Task task;
      int share;
      bool after_heavy;  // never held back
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
    // The next turn; while others are held back, of those after heavy ones.
    std::optional<FairQueue<Turn>::Popped> Pop(bool paused) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
    // So many more turns have begun, or fewer; 0: more wait, or fewer.
    void Count(int begun) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

    const int workers_;
    Cores& cores_;
    const Cores::Where where_;
    const ThreadClock clock_;
    Mutex mu_;
    CondVar wake_;  // a turn, or the end
    FairQueue<Turn> turns_ ABSL_GUARDED_BY(mu_);
    int after_heavy_ ABSL_GUARDED_BY(mu_) = 0;  // of these
    int begun_ ABSL_GUARDED_BY(mu_) = 0;
    int wanted_ ABSL_GUARDED_BY(mu_) = 0;  // threads of which the cores know
    bool closed_ ABSL_GUARDED_BY(mu_) = false;
    std::vector<std::thread> threads_;  // of the constructing and the joining thread
  };

  Crew light_, heavy_;
};

}  // namespace prequel
