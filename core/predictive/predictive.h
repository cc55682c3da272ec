// The predictive distribution: from a posterior to answers and scores in the units of the targets.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/config/batch.h"
#include "core/learner/learner_state.h"
#include "core/learner/problem.h"
#include "core/learner/workspace.h"
#include "core/predictive/prediction.h"
#include "core/scores/evaluation.h"

namespace prequel {

// The predictive is a mixture of likelihood predictives over Workspace::members, the moments of
// the logits: one member for the linearised posterior, one per draw for Monte Carlo.

// The predictive that matches what the rule has fitted: the one place where that is decided. Of a
// posterior without variance, the logits at the mean.
MatchedPredictive MatchedTo(const Problem& problem, const LearnerState& state);

// Moments of the logits of the bound minibatch under the posterior of `state`, into w.expansion:
// linearised at the mean; or, when that is what matches, at the mean and exact, by a forward pass
// alone.
absl::Status MeanLogits(const Problem& problem, const LearnerState& state, Workspace& workspace);

// One member: `moments`, which MeanLogits or a fit left under the posterior of `state`.
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
