// Predictives and query options.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/learner/learner.h"
#include "core/predictive/prediction.h"
#include "prequel/v1/prediction.pb.h"

namespace prequel::wire {

// INVALID_ARGUMENT names "options.quantiles" or "options.samples".
absl::StatusOr<PredictOptions> PredictOptionsFromProto(const v1::PredictOptions& proto);

// What does not apply to the likelihood is left out.
void PredictionsToProto(const Predictions& predictions, v1::Predictions* proto);

// INVALID_ARGUMENT for "batch" when the predictive of `rows` examples would take more than
// `max_bytes` on the wire: a small request may ask for a very large answer.
absl::Status CheckPredictionSize(const Learner& learner, Index rows, const PredictOptions& options,
                                 std::int64_t max_bytes);

}  // namespace prequel::wire
