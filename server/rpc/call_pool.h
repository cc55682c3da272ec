// Threads for calls that compute or wait for the disk, so that gRPC's own never do.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "server/engine/still_wanted.h"
#include "server/rpc/call.h"
#include "server/sync/background.h"
#include "server/sync/fair_queue.h"
#include "server/sync/mutex.h"
#include "server/sync/thread_time.h"

namespace prequel {

// A CallPool is one queue with `places` places: that many calls are worked on at a time, and the
// processor time that they use is divided among the callers. The caller that has used the least for
// its share is next, and of what it asks about, what has used the least. Long work lets other calls
// have its place between its pieces (Work's Proceed).
class CallPool {
 public:
  // Work calls Proceed between its pieces: it says whether the answer is still wanted. Other calls
  // may be worked on before it returns.
  using Proceed = StillWanted;
  using Work = absl::AnyInvocable<absl::Status(const Proceed& proceed)>;
  using Answer = absl::AnyInvocable<void(const absl::Status&)>;

  // At most `places` calls are worked on, and at most `max_queued` wait to begin. One caller may
  // have as many of these as it leaves free, so half of them where nobody else waits, and what it
  // asks about one thing three quarters of that; `refusal` is what others are told. `where`: where
  // the work is done. Answers are never given in the background: gRPC has locks that all
  // connections share.
  CallPool(int places, std::size_t max_queued, std::string refusal,
           Where where = Where::kForeground, ThreadClock clock = ThreadSeconds);
  // The destructor answers what is queued, then stops.
  ~CallPool();
  CallPool(const CallPool&) = delete;
  CallPool& operator=(const CallPool&) = delete;

  // Run gives `answer`, once, what `work` returns, on a thread of the pool; the time that giving it
  // takes is charged to the caller as well. When too many calls wait, `answer` is given
  // RESOURCE_EXHAUSTED on the thread that calls Run, before Run returns. A call that is not
  // `wanted` any more when its turn comes is answered with what `wanted` says, without work.
  void Run(const Asker& who, StillWanted wanted, Work work, Answer answer);
  void Run(const UnaryCall& call, Work work);
  void Run(const UnaryCall& call, absl::AnyInvocable<absl::Status()> work);

  // Refuses new calls with UNAVAILABLE and waits for the accepted ones, until `deadline`.
  void Drain(TimePoint deadline);

 private:
  // The queue holds Tasks, which are to begin, and Pauses of calls that wait between two of their
  // pieces.
  struct Task {
    Asker who;
    StillWanted wanted;
    Work work;
    Answer answer;
  };
  struct Pause {
    CondVar go;
    bool may_go = false;
  };
  using Item = std::variant<Task, Pause*>;

  // What a caller has in the pool, and how much of it is about what.
  struct Counts {
    std::size_t queued = 0;
    int begun = 0;
  };
  struct Asked : Counts {
    std::map<std::string, Counts> about;
  };

  // What threads of one kind are to do, in order.
  using Jobs = std::deque<absl::AnyInvocable<void()>>;
  // A call's processor time since it was last charged.
  class Piece;

  // Callers, and what each asks about, whose use is remembered while nothing of theirs waits: a few
  // megabytes of names in all.
  static constexpr std::size_t kMostCallers = 512;
  static constexpr std::size_t kMostAbout = 16;

  // Loop is what a thread runs: it gives answers when `answers` is set, else does the jobs of the
  // work.
  void Loop(bool answers);
  // Next waits for such a thread's next job and returns it; null once all calls have been answered
  // and the pool stops.
  Jobs::value_type Next(bool answers);
  absl::Status Admit(Task& task);
  bool HasRoom(const Asker& who) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  bool MayBegin(const std::string& caller, const std::string& about, const Item& item) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Count adds `queued` to the caller's calls that wait to begin, and `begun` to those that have
  // begun and are not answered.
  void Count(const Asker& who, int queued, int begun) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Dispatch gives free places to the calls that are next.
  void Dispatch() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  absl::Status Proceeds(const Task& task, Piece& piece);
  // AwaitTurn gives the call's place to the call that is next, and returns when its own turn has
  // come again.
  void AwaitTurn(const Asker& who, double used);
  void Perform(Task task);
  static void GiveAnswer(Task& task, const absl::Status& status);
  // End: a call is answered, and has used `used` seconds since it was last charged.
  void End(const Asker& who, double used) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const int places_;
  const int max_begun_;
  const std::size_t max_queued_;
  const std::string refusal_;
  const Where where_;
  const ThreadClock clock_;
  Mutex mu_;
  CondVar answered_;   // a call
  CondVar to_work_;    // a job of work, or the end
  CondVar to_answer_;  // an answer to give, or the end
  FairLines<FairLines<Fifo<Item>, kMostAbout>, kMostCallers> queue_ ABSL_GUARDED_BY(mu_);
  Jobs work_ ABSL_GUARDED_BY(mu_);
  Jobs answers_ ABSL_GUARDED_BY(mu_);                        // of work in the background
  std::map<std::string, Asked> asked_ ABSL_GUARDED_BY(mu_);  // by caller
  int running_ ABSL_GUARDED_BY(mu_) = 0;                     // places taken
  int all_begun_ ABSL_GUARDED_BY(mu_) = 0;
  std::size_t queued_ ABSL_GUARDED_BY(mu_) = 0;  // to begin
  int unanswered_ ABSL_GUARDED_BY(mu_) = 0;      // queued, begun or done
  bool draining_ ABSL_GUARDED_BY(mu_) = false;
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;
  std::vector<std::thread> threads_;  // constant after construction
};

// The pools in which calls run; all outlive their users.
struct CallPools {
  CallPool& queries;  // short ones
  // Queries that take long, in the background: short ones never wait for them.
  CallPool& long_queries;
  // Calls that fold a log, or hold a whole state, again: few at a time, and queries never wait for
  // them.
  CallPool& history;
  // Calls that make models or delete them: one of a million columns takes a second to look at.
  CallPool& changes;

  // The pool for a query: `past` is whether it asks a past revision rather than the newest.
  CallPool& For(bool past, bool takes_long) const {
    if (past) return history;
    return takes_long ? long_queries : queries;
  }
};

}  // namespace prequel
