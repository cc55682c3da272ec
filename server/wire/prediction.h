// Predictives and query options.
#pragma once

#include "absl/status/statusor.h"
#include "core/predictive/prediction.h"
#include "prequel/v1/prediction.pb.h"

namespace prequel::wire {

// INVALID_ARGUMENT names "options.quantiles" or "options.samples".
absl::StatusOr<PredictOptions> PredictOptionsFromProto(const v1::PredictOptions& proto);

// What does not apply to the likelihood is left out.
void PredictionsToProto(const Predictions& predictions, v1::Predictions* proto);

}  // namespace prequel::wire
