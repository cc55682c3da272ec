// The inputs of a request as a minibatch of a model.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "core/config/batch.h"
#include "core/config/learner_config.h"
#include "inference/grpc_predict_v2.pb.h"
#include "server/engine/question.h"

namespace prequel {

// The tensor that stands for all numeric columns, in the order of the features, where no feature
// has that name.
inline constexpr char kAllColumns[] = "input";
// The tensor of when the rows happen, where no feature has that name.
inline constexpr char kTimes[] = "times";

// Each feature is a tensor of its name: numbers of shape [rows, width], BYTES of shape [rows]. All
// numeric ones may be one tensor kAllColumns of shape [rows, columns] instead. There may be kTimes,
// numbers of shape [rows]. A date or a time, which is a feature called "COLUMN:datetime" or so, may
// be a tensor of that name or called COLUMN, of BYTES of shape [rows]; kTimes may be BYTES, too:
// see moment_texts.h. INVALID_ARGUMENT names the tensor that is wrong, missing, unknown or given
// twice; whether the values suit the model is Learner::CheckInputs's to say.
absl::StatusOr<Batch> BatchFromInfer(const inference::ModelInferRequest& request,
                                     const std::vector<FeatureConfig>& features, Index max_rows);

// RowsIn is what a request claims to have, before it has been checked; `most` when it claims more.
RowsAsked RowsIn(const inference::ModelInferRequest& request, Index most);

}  // namespace prequel
