// Requests whose bytes are no message of their method.
#pragma once

#include <grpcpp/support/server_interceptor.h>

namespace prequel {

// gRPC answers them before any code of ours is asked, with UNIMPLEMENTED and no word. This has
// INVALID_ARGUMENT sent instead, with the method's name.
class UndecodableInterceptor final : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  grpc::experimental::Interceptor* CreateServerInterceptor(
      grpc::experimental::ServerRpcInfo* call) override;
};

}  // namespace prequel
