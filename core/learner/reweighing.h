// The weights of beliefs, as the dynamics of a model have them.
#pragma once

#include "core/learner/belief.h"
#include "core/learner/learner_state.h"
#include "core/learner/problem.h"

namespace prequel {

// PredictionWeights writes the weights of all that is predicted of the next rows, in which `time`
// passes: of each belief with each of its tracks, in the order of Hypotheses, and last of a restart
// within these rows where the dynamics think of them. They sum to 1.
void PredictionWeights(const Problem& problem, const LearnerState& state, double time, Vector& out);

// Reweigh folds into the weights of `next` the log densities, by rows, that what was predicted as
// PredictionWeights has it gave to rows in which `time` passed; `log_densities` become those of
// hypotheses. `begun` is the belief that is to begin anew, or −1. False, with `next` unspecified,
// when no hypothesis thinks the targets possible.
bool Reweigh(const Problem& problem, double time, Matrix& log_densities, MixingScratch& scratch,
             LearnerState& next, Index& begun);

// WeighBeliefs writes the log weights of all beliefs, where the dynamics say how they are weighed.
// `weights` is scratch.
void WeighBeliefs(const Problem& problem, Vector& weights, LearnerState& state);

}  // namespace prequel
