// One step of the fold: score a minibatch under a state, then make the next state of it.
#pragma once

#include "absl/status/statusor.h"
#include "core/config/batch.h"
#include "core/learner/answering.h"
#include "core/learner/learner.h"
#include "core/learner/problem.h"
#include "core/learner/scratch/workspace.h"

namespace prequel {

// The contract of Learner::Update, for a state with all arrays in doubles. In order:
//   Meet      the labels: a new one takes a free class; rows of a label without one are refused
//   Predict   the rows, encoded as `state` encodes, under its beliefs, one after the other: what
//             `answering` is told, when given, and of one row exactly what a query would be
//   Score     those of known target
//   Absorb    the rows into the encoders; while that moves the encoding noticeably (a young stream,
//             a new category) they are encoded again, else the linearisations of the prediction
//             serve for the fit
//   Reweigh   the beliefs by how they predicted
//   Fit       each belief to them, with its noise
absl::StatusOr<Learned> FoldMinibatch(const Problem& problem, const LearnerState& state,
                                      const Batch& batch, Workspace& workspace, LearnerState& next,
                                      const Answering* answering);

}  // namespace prequel
