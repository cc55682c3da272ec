// One step of the fold: score a minibatch under a state, then make the next state of it.
#pragma once

#include "absl/status/statusor.h"
#include "core/config/batch.h"
#include "core/learner/learner.h"
#include "core/learner/problem.h"
#include "core/learner/workspace.h"

namespace prequel {

// The contract of Learner::Update. In order:
//   1. the known rows, encoded as `state` encodes, are scored under the posterior of `state`:
//      exactly what Predict would have answered;
//   2. the encoders absorb the rows; while that moves the encoding noticeably (a young stream, a
//      new category) the rows are encoded again, else the linearisation of 1 serves for 3;
//   3. the rule fits the posterior; learned noise and the evaluation follow.
absl::StatusOr<Learned> Fold(const Problem& problem, const LearnerState& state, const Batch& batch,
                             Workspace& workspace, LearnerState& next);

}  // namespace prequel
