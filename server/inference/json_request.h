// Requests of the open inference protocol as JSON, and the contents behind it.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/linalg/types.h"
#include "inference/grpc_predict_v2.pb.h"

namespace prequel {

// `body` begins with JSON, of `json_length` bytes; behind it are the raw contents of those tensors
// whose parameter `binary_data_size` says how long theirs are. Numbers become FP64, and must be in
// the range of the tensor's datatype; null is a missing one. Nested lists are as good as flat ones,
// if they have one length. INVALID_ARGUMENT names what is wrong, and nothing grows beyond some
// multiple of the body.
absl::StatusOr<inference::ModelInferRequest> InferRequestFromJson(
    std::string_view body, std::optional<std::size_t> json_length, Index max_batch_rows);

}  // namespace prequel
