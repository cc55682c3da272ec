// The belief of a model that has one.
#pragma once

#include "core/learner/belief.h"
#include "core/learner/learner_state.h"

namespace prequel {

inline Belief& BeliefOf(LearnerState& state) { return state.beliefs.front(); }
inline const Belief& BeliefOf(const LearnerState& state) { return state.beliefs.front(); }

}  // namespace prequel
