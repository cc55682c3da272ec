// Threads for calls that compute or wait for the disk, so that gRPC's own never do.
#pragma once

#include <cstddef>
#include <deque>
#include <thread>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "server/rpc/unary_call.h"
#include "server/sync/mutex.h"

namespace prequel {

class CallPool {
 public:
  using Work = absl::AnyInvocable<absl::Status()>;

  // At most `max_queued` calls wait for one of the `threads`.
  CallPool(int threads, std::size_t max_queued);
  // Answers what is queued, then stops.
  ~CallPool();
  CallPool(const CallPool&) = delete;
  CallPool& operator=(const CallPool&) = delete;

  // Answers `call` with what `work` returns, on one of the threads. RESOURCE_EXHAUSTED when too
  // many wait; a call whose deadline has passed or whose client has gone is answered without work.
  void Run(const UnaryCall& call, Work work);

  // Refuses new calls with UNAVAILABLE and waits for the accepted ones, until `deadline`.
  void Drain(TimePoint deadline);

 private:
  struct Task {
    UnaryCall call;
    Work work;
  };
  void Loop();
  absl::Status Admit(const UnaryCall& call, Work& work);
  bool Take(std::deque<Task>& taken);
  void OnAnswered();

  const std::size_t max_queued_;
  Mutex mu_;
  CondVar wake_;      // a task, or the end
  CondVar answered_;  // a call
  std::deque<Task> queue_ ABSL_GUARDED_BY(mu_);
  int unanswered_ ABSL_GUARDED_BY(mu_) = 0;  // queued or running
  bool draining_ ABSL_GUARDED_BY(mu_) = false;
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;
  std::vector<std::thread> threads_;  // constant after construction
};

}  // namespace prequel
