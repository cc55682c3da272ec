// Predictions as output tensors.
#pragma once

#include "inference/grpc_predict_v2.pb.h"
#include "server/engine/engine.h"

namespace prequel {

// Where the contents of tensors are: beside each tensor, or in a list of raw ones, as the request
// had them.
enum class Contents { kTyped, kRaw };

// The outputs that `request` names, in its order, or all; with the revision as model_version and as
// a parameter, and the levels of a last dimension as a parameter of the tensor. REQUIRES: what is
// named has been asked.
void AnswerToInfer(const PredictOutcome& outcome, const inference::ModelInferRequest& request,
                   Contents contents, inference::ModelInferResponse* response);

}  // namespace prequel
