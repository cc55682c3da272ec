#include "server/rpc/unary_call.h"

#include "server/rpc/grpc_error.h"

namespace prequel {

UnaryCall::UnaryCall(grpc::CallbackServerContext* context, const char* method,
                     std::string_view resource, CallObserver& observer)
    : context_(context),
      reactor_(context->DefaultReactor()),
      method_(method),
      resource_(resource),
      observer_(&observer),
      start_(std::chrono::steady_clock::now()) {}

void UnaryCall::Finish(const absl::Status& status) const {
  const grpc::Status answer = GrpcStatus(status, resource_);
  observer_->OnCall(method_, CodeName(answer.error_code()),
                    std::chrono::steady_clock::now() - start_);
  reactor_->Finish(answer);
}

}  // namespace prequel
