// gRPC's end of a unary call: finishes it, and tells once its client has gone.
#pragma once

#include <grpcpp/grpcpp.h>

#include <utility>

#include "absl/functional/any_invocable.h"
#include "server/sync/mutex.h"

namespace prequel {

// Owns itself: gRPC calls OnDone last, after Finish.
class CallReactor final : public grpc::ServerUnaryReactor {
 public:
  // Calls `then` when the call is cancelled, by its client or at its deadline, before it is
  // finished; at once if it has been. REQUIRES: the call is not finished yet; at most once.
  void OnceCancelled(absl::AnyInvocable<void()> then) {
    {
      MutexLock lock(mu_);
      if (!cancelled_) {
        then_ = std::move(then);
        return;
      }
    }
    then();
  }

  void OnCancel() override {
    absl::AnyInvocable<void()> then;
    {
      MutexLock lock(mu_);
      cancelled_ = true;
      then = std::exchange(then_, nullptr);
    }
    if (then != nullptr) then();
  }
  void OnDone() override { delete this; }

 private:
  ~CallReactor() override = default;

  Mutex mu_;
  bool cancelled_ ABSL_GUARDED_BY(mu_) = false;
  absl::AnyInvocable<void()> then_ ABSL_GUARDED_BY(mu_);
};

}  // namespace prequel
