#include "server/rpc/unary_call.h"

#include "server/rpc/grpc_error.h"

namespace prequel {

UnaryCall::UnaryCall(grpc::CallbackServerContext* context, const char* method,
                     std::string_view resource, CallObserver& observer)
    : context_(context),
      reactor_(new CallReactor()),
      method_(method),
      resource_(resource),
      observer_(&observer),
      start_(std::chrono::steady_clock::now()) {}

absl::Status Wanted(const grpc::CallbackServerContext& context) {
  if (context.IsCancelled()) return absl::CancelledError("the client has gone");
  if (std::chrono::system_clock::now() < context.deadline()) return absl::OkStatus();
  return absl::DeadlineExceededError("the deadline passed before the call was answered");
}

void UnaryCall::Finish(const absl::Status& status) const {
  const grpc::Status answer = GrpcStatus(status, resource_);
  observer_->OnCall(method_, CodeName(answer.error_code()),
                    std::chrono::steady_clock::now() - start_);
  reactor_->Finish(answer);
}

}  // namespace prequel
