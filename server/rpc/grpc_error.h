// Errors as gRPC carries them.
#pragma once

#include <grpcpp/support/status.h>

#include <string_view>

#include "absl/status/status.h"
#include "google/rpc/status.pb.h"

namespace prequel {

// With google.rpc.Status as details. The ErrorInfo's metadata hold `model`, when not empty, the
// sequence number that is due when `status` is about one, and the quota, with whose it is, when it
// is about one of those; then a RetryInfo says when to try again.
google::rpc::Status RpcError(const absl::Status& status, std::string_view model);
grpc::Status GrpcStatus(const absl::Status& status, std::string_view model);

}  // namespace prequel
