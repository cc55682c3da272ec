// Beliefs that drift, of a linear model of one logit with a full covariance, meet the rows of a
// minibatch one by one: each row is predicted after the drift up to it, and learned before the
// drift to the next. (Others go in steps: core/learner/drifting/steps.h.)
#pragma once

#include <cstddef>

#include "absl/status/status.h"
#include "core/learner/belief.h"
#include "core/learner/problem.h"
#include "core/learner/scratch/workspace.h"

namespace prequel {

struct Place;

// LearnsInTurn: whether belief k learns so: it drifts by a diffusion, in such a model without
// learned dispersion, and the rule fits rows.
bool LearnsInTurn(const Problem& problem, std::size_t k);

// DesignRows writes the rows of the Jacobian of encoded `inputs`, which all such beliefs share,
// into all.in_turn.design. What was predicted of other inputs is forgotten.
void DesignRows(const Problem& problem, const Matrix& inputs, Workspace& all);

// PredictInTurn writes what belief k says of those rows, which lie at `place` in their minibatch.
void PredictInTurn(const Problem& problem, const Belief& belief, std::size_t k, const Place& place,
                   Workspace& all, LogitMoments& out);
// PredictPrior writes what the prior, which does not drift, says of them.
void PredictPrior(const Problem& problem, Workspace& all, LogitMoments& out);

// FitInTurn writes posterior, rule state and noise of `next`: those of `belief`, with the noise
// that `next` has, after those rows with encoded `targets`, which are the minibatch at `place`.
// INTERNAL when something is not finite; `next` is then unspecified.
absl::Status FitInTurn(const Problem& problem, const TargetState& target_state,
                       const Matrix& targets, const Place& place, const Belief& belief,
                       std::size_t k, Workspace& all, Belief& next, StepReport& report);

}  // namespace prequel
