// Makes our status of gRPC's. Internal to the library: its public headers do not include gRPC.
#pragma once

#include <grpcpp/support/status.h>

#include "absl/status/status.h"

namespace prequel::client {

// Keeps code, message and the google.rpc details that travel beside them.
absl::Status StatusFromGrpc(const grpc::Status& status);

}  // namespace prequel::client
