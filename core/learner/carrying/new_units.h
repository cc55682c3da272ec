// A minibatch that moves the units of inputs or targets (core/encoding/units.h), and what becomes
// of what is held in them.
//
// Units are the running moments as they were when these had last left them: by a tenth of a
// deviation in some column, or, of linear models of few weights that stand still, by anything at
// all. So the posterior of the latter is that of all rows under a prior in the units of all rows,
// in whatever order they came. The units of a model that has learned nothing are those of its first
// minibatch.
#pragma once

#include "absl/status/status.h"
#include "core/learner/belief.h"
#include "core/learner/learner_state.h"
#include "core/learner/problem.h"
#include "core/learner/scratch/workspace.h"

namespace prequel {

// MoveUnits moves the units of `next`, whose moments have taken in the minibatch, from those of
// `state`, and returns whether they moved; then w.units says how, unless nothing was learned
// before.
bool MoveUnits(const Problem& problem, const LearnerState& state, Workspace& w, LearnerState& next);

// CarriesOver: whether what was learned is to be carried over, to other units or to priors of other
// scales. A model that has learned nothing has nothing to carry. A network's weights stay the
// numbers that they are before 1,000 examples, as long as they are more its prior's than the rows':
// carried over they cost 0.025 nats a row of a file of 1,200. In dataset mode what a rule remembers
// belongs to its posterior, so that both stay the numbers that they are, and units are those of all
// rows anyway.
bool CarriesOver(const Problem& problem, const LearnerState& state);

// CarryBeliefs carries the beliefs of `state` over into w.units.beliefs: to priors of
// w.units.scales, and then to the units that MoveUnits has moved to. Posteriors go by
// core/posteriors/carrying.h; of learned noise the prior's part stays, and the rest goes by the
// square of the units. What rules remember beside the posterior stays as it is. INTERNAL when a
// posterior is no longer positive definite.
absl::Status CarryBeliefs(const Problem& problem, const LearnerState& state, Workspace& w);

}  // namespace prequel
