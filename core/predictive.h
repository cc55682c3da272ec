// The predictive distribution: from a posterior to answers and scores in the units of the targets.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/batch.h"
#include "core/evaluate.h"
#include "core/learner_state.h"
#include "core/prediction.h"
#include "core/problem.h"
#include "core/workspace.h"

namespace prequel {

// The predictive is a mixture of likelihood predictives over Workspace::members, the moments of
// the logits: one member for the linearised posterior, one per draw for Monte Carlo.

// Draws of θ behind the predictive that matches the rule's expectation; 0: linearised.
int MatchedSamples(const Problem& problem);

// One member: `moments`, linearised under the posterior of `state`.
absl::Status LinearizedLogits(const Problem& problem, const LearnerState& state,
                              const LogitMoments& moments, Workspace& workspace);

// `samples` members: the logits of the encoded `inputs` at as many draws of θ.
absl::Status SampledLogits(const Problem& problem, const LearnerState& state, const Matrix& inputs,
                           int samples, Workspace& workspace);

// Scores of encoded targets (T × B; values in the units known to `state`) under the members.
Tally ScorePredictive(const Problem& problem, const LearnerState& state, const Matrix& targets,
                      Workspace& workspace);

// The contract of Learner::Predict.
absl::StatusOr<Predictions> PredictBatch(const Problem& problem, const LearnerState& state,
                                         const Batch& batch, const PredictOptions& options,
                                         Workspace& workspace);

}  // namespace prequel
