// One unary call from its start to its answer: maps the status and counts.
#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "server/engine/clock.h"
#include "server/engine/still_wanted.h"
#include "server/rpc/call_observer.h"
#include "server/rpc/call_reactor.h"

namespace prequel {

// OK while whoever asked is there and waits.
absl::Status Wanted(const grpc::CallbackServerContext& context);

// A small value, to be copied into whoever answers. The request and the response live until Finish.
class UnaryCall {
 public:
  // `resource` is what the request names, for error details.
  UnaryCall(grpc::CallbackServerContext* context, const char* method, std::string_view resource,
            CallObserver& observer);

  // Exactly once, on any thread.
  void Finish(const absl::Status& status) const;

  grpc::ServerUnaryReactor* reactor() const { return reactor_; }
  // See CallReactor.
  void OnceCancelled(absl::AnyInvocable<void()> then) const {
    reactor_->OnceCancelled(std::move(then));
  }
  TimePoint deadline() const { return context_->deadline(); }
  // Of this call, now, and to be asked until Finish.
  absl::Status CheckWanted() const { return Wanted(*context_); }
  StillWanted wanted() const {
    return [context = context_] { return Wanted(*context); };
  }

 private:
  grpc::CallbackServerContext* context_;
  CallReactor* reactor_;
  const char* method_;
  std::string resource_;
  CallObserver* observer_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace prequel
