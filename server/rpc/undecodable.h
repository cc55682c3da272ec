// Requests whose bytes are no message of their method.
#pragma once

#include <grpcpp/grpcpp.h>
#include <grpcpp/impl/codegen/proto_utils.h>  // SerializationTraits of Protocol Buffers
#include <grpcpp/support/server_interceptor.h>

#include <string_view>

#include "absl/status/status.h"

namespace prequel {

// INVALID_ARGUMENT: the bytes of `what` are no message of `method`.
absl::Status UndecodableError(std::string_view what, std::string_view method);

// Decode is for streams, where gRPC would take bytes that are no such message for the end of what
// the client sends. `bytes` are used up; false when they are no such message.
template <class Message>
bool Decode(grpc::ByteBuffer& bytes, Message& message) {
  return grpc::SerializationTraits<Message>::Deserialize(&bytes, &message).ok();
}

template <class Message>
grpc::ByteBuffer Encode(const Message& message) {
  grpc::ByteBuffer bytes;
  bool own = false;
  (void)grpc::SerializationTraits<Message>::Serialize(message, &bytes, &own);
  return bytes;
}

// gRPC answers calls of one request that it cannot decode before any code of ours is asked, with
// UNIMPLEMENTED and no message. This interceptor has UndecodableError sent instead.
class UndecodableInterceptor final : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  grpc::experimental::Interceptor* CreateServerInterceptor(
      grpc::experimental::ServerRpcInfo* call) override;
};

}  // namespace prequel
