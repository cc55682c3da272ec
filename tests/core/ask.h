// One prediction, asked for and answered.
#pragma once

#include "core/learner/learner.h"

namespace prequel {

inline absl::StatusOr<Answer> Ask(const Learner& learner, const LearnerState& state,
                                  const Batch& batch, Scratch& scratch,
                                  const PredictOptions& options = {}) {
  const absl::StatusOr<QuerySet> queries = learner.Ask(options);
  if (!queries.ok()) return queries.status();
  return learner.Predict(state, batch, *queries, scratch);
}

}  // namespace prequel
