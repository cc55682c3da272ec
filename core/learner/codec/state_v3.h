// Version 3 of a state's bytes, and what versions 1 to 3 lacked; all are read for ever.
#pragma once

#include "core/learner/learner_state.h"
#include "core/learner/problem.h"

namespace prequel {

// Of a state that was read from version 1, 2 or 3: nothing is known yet of how its predictions come
// true, nor of what others would have predicted.
void UpgradeFromV3(const Problem& problem, LearnerState& state);

}  // namespace prequel
