#include "server/rpc/undecodable.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "server/rpc/grpc_error.h"

namespace prequel {
namespace {

using grpc::experimental::InterceptionHookPoints;

class OfOneCall final : public grpc::experimental::Interceptor {
 public:
  explicit OfOneCall(const char* method) : method_(method) {}

  void Intercept(grpc::experimental::InterceptorBatchMethods* batch) override {
    if (batch->QueryInterceptionHookPoint(InterceptionHookPoints::PRE_SEND_STATUS)) {
      const grpc::Status status = batch->GetSendStatus();
      // We always say why: only gRPC sends this.
      if (status.error_code() == grpc::StatusCode::UNIMPLEMENTED &&
          status.error_message().empty()) {
        batch->ModifySendStatus(GrpcStatus(UndecodableError("the request", method_), ""));
      }
    }
    batch->Proceed();
  }

 private:
  const char* method_;  // of gRPC, which has it for as long as it serves
};

}  // namespace

absl::Status UndecodableError(std::string_view what, std::string_view method) {
  return absl::InvalidArgumentError(
      absl::StrCat("the bytes of ", std::string(what), " are no message of ", std::string(method),
                   ": was it made from another version of proto/prequel/v1, or for another "
                   "method?"));
}

grpc::experimental::Interceptor* UndecodableInterceptor::CreateServerInterceptor(
    grpc::experimental::ServerRpcInfo* call) {
  // A stream in both directions has no request that gRPC reads by itself. A method that is not
  // there is taken for one, and is UNIMPLEMENTED indeed.
  if (call->type() == grpc::experimental::ServerRpcInfo::Type::BIDI_STREAMING) return nullptr;
  return new OfOneCall(call->method());
}

}  // namespace prequel
