// Answers to queries.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/config/batch.h"
#include "core/learner/learner_state.h"
#include "core/learner/problem.h"
#include "core/learner/workspace.h"
#include "core/predictive/prediction.h"

namespace prequel {

// What is asked, and where the answer goes.
struct Answering {
  const PredictOptions& options;
  Predictions& out;
};

// The contract of Learner::Predict, in tiles of examples.
absl::StatusOr<Predictions> AnswerBatch(const Problem& problem, const LearnerState& state,
                                        const Batch& batch, const PredictOptions& options,
                                        Workspace& w);

// Writes the whole answer, of all that w.predictive is of.
absl::Status AnswerRows(const Problem& problem, const LearnerState& state,
                        const Answering& answering, Workspace& w);

}  // namespace prequel
