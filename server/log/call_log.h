// Calls that should not have failed, for whoever reads the server's log.
#pragma once

#include "server/log/stderr_log.h"
#include "server/rpc/call_observer.h"

namespace prequel {

// A line for each call that ends INTERNAL, UNKNOWN or DATA_LOSS, at most five a second; the next
// one says how many were left out. Thread-safe.
class CallLog final : public CallObserver {
 public:
  using Clock = LogBudget::Clock;

  // Tests have a clock of their own.
  explicit CallLog(Clock::time_point (*now)() = Clock::now) : now_(now) {}

  void OnCall(const CallRecord& call) override;

 private:
  Clock::time_point (*const now_)();
  LogBudget budget_{5};
};

}  // namespace prequel
