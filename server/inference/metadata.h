// What a model takes and answers, as tensors.
#pragma once

#include "absl/status/status.h"
#include "core/learner/learner.h"
#include "inference/grpc_predict_v2.pb.h"

namespace prequel {

// DescribeModel gives the model's features as inputs and all that it can be asked as outputs; it
// leaves name and versions out.
absl::Status DescribeModel(const Learner& learner, inference::ModelMetadataResponse* response);

}  // namespace prequel
