// Queries and their answers.
#pragma once

#include "absl/status/statusor.h"
#include "core/predictive/answer.h"
#include "core/predictive/query_set.h"
#include "prequel/v1/prediction.pb.h"

namespace prequel::wire {

// INVALID_ARGUMENT names what the wire can express and a query cannot have
// ("options.queries[0].options.levels"); the rest is Learner::Ask's to refuse.
absl::StatusOr<PredictOptions> PredictOptionsFromProto(const v1::PredictOptions& proto);

void AnswerToProto(const Answer& answer, v1::Predictions* proto);

}  // namespace prequel::wire
