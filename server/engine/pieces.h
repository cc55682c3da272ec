// Long queries, cut into pieces.
#pragma once

#include "absl/status/statusor.h"
#include "core/learner/cost.h"
#include "core/learner/learner.h"
#include "server/engine/still_wanted.h"

namespace prequel {

// Rows that are answered in some twentieth of a second, by estimate: at most as many as core
// answers at once.
Index PieceOf(const ModelCost& cost, const QuerySet& queries);

// Learner::Predict, so many rows at a time; asks `proceed` between two pieces, and ends with its
// error. As each row is asked about as the next one, the answer is the same.
absl::StatusOr<Answer> PredictInPieces(const Learner& learner, const LearnerState& state,
                                       const Batch& batch, const QuerySet& queries, Index piece,
                                       Scratch& scratch, const StillWanted& proceed);

}  // namespace prequel
