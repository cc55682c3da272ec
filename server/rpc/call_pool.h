// Threads for calls that compute or wait for the disk, so that gRPC's own never do.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "server/engine/still_wanted.h"
#include "server/rpc/call.h"
#include "server/sync/mutex.h"

namespace prequel {

class CallPool {
 public:
  using Work = absl::AnyInvocable<absl::Status()>;
  using Answer = absl::AnyInvocable<void(const absl::Status&)>;

  // At most `max_queued` calls wait for one of the `threads`; `refusal` is what others are told.
  CallPool(int threads, std::size_t max_queued, std::string refusal);
  // Answers what is queued, then stops.
  ~CallPool();
  CallPool(const CallPool&) = delete;
  CallPool& operator=(const CallPool&) = delete;

  // Gives `answer`, once, what `work` returns, on one of the threads; on the caller's, before Run
  // returns, RESOURCE_EXHAUSTED when too many wait. A call that is not `wanted` any more when its
  // turn comes is answered with that, without work.
  void Run(StillWanted wanted, Work work, Answer answer);
  void Run(const UnaryCall& call, Work work);

  // Refuses new calls with UNAVAILABLE and waits for the accepted ones, until `deadline`.
  void Drain(TimePoint deadline);

 private:
  struct Task {
    StillWanted wanted;
    Work work;
    Answer answer;
  };
  void Loop();
  absl::Status Admit(Task& task);
  bool Take(std::deque<Task>& taken);
  void OnAnswered();

  const std::size_t max_queued_;
  const std::string refusal_;
  Mutex mu_;
  CondVar wake_;      // a task, or the end
  CondVar answered_;  // a call
  std::deque<Task> queue_ ABSL_GUARDED_BY(mu_);
  int unanswered_ ABSL_GUARDED_BY(mu_) = 0;  // queued or running
  bool draining_ ABSL_GUARDED_BY(mu_) = false;
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;
  std::vector<std::thread> threads_;  // constant after construction
};

// Which calls run where; both outlive their users.
struct CallPools {
  CallPool& queries;  // short calls
  // Calls that fold a log, or hold a whole state, again: few threads, and queries never wait for
  // them.
  CallPool& history;
};

}  // namespace prequel
