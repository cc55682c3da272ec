// What was predicted, once the targets are known: its scores, those of what it is compared with,
// and what calibration learns.
#pragma once

#include "core/config/batch.h"
#include "core/learner/learner_state.h"
#include "core/learner/problem.h"
#include "core/learner/scratch/workspace.h"

namespace prequel {

// JudgeRows judges w.predictive, the predictive of `state`, by `outcomes`, T × B: values in their
// units, or indices of classes, of rows that count as often as `weights` says (B; empty: once).
// Adds their scores to `judgement` and folds them into next.calibration.
void JudgeRows(const Problem& problem, const LearnerState& state, const Matrix& outcomes,
               const Vector& weights, Workspace& w, LearnerState& next, Judgement& judgement);

// WatchRows finds whether the world has changed, into next.change: `rows` are w.inputs as they were
// encoded under `state`. `weighed`: whether the hypotheses were weighed anew by these rows.
void WatchRows(const Problem& problem, const LearnerState& state, const Batch& rows, bool weighed,
               Workspace& w, LearnerState& next);

}  // namespace prequel
