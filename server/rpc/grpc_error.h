// Errors as gRPC carries them.
#pragma once

#include <grpcpp/support/status.h>

#include <string_view>

#include "absl/status/status.h"
#include "google/rpc/status.pb.h"

namespace prequel {

// RpcError puts google.rpc details into the error. The ErrorInfo's metadata hold `model`, when it
// is not empty; the sequence number that is due, when `status` is about one; the quota and its
// owner, when `status` is about a quota; the memory budget, when there is too little of it. A
// RetryInfo says when to try again. GrpcStatus is the same error as gRPC carries it.
google::rpc::Status RpcError(const absl::Status& status, std::string_view model);
grpc::Status GrpcStatus(const absl::Status& status, std::string_view model);

}  // namespace prequel
