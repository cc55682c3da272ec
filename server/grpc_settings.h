// What gRPC is told before it starts.
#pragma once

#include <grpcpp/server_builder.h>

#include "server/server_options.h"

namespace prequel {

// Calls that one connection may have at a time.
inline constexpr int kMaxStreamsPerConnection = 256;

// Bounds messages and connections, and has requests that cannot be decoded answered with why.
// Reflection stays only where there is no policy.
void ConfigureGrpc(const ServerOptions& options, grpc::ServerBuilder& builder);

}  // namespace prequel
