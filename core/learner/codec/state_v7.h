// Version 7 of a state's bytes, and what versions 1 to 7 lacked; all are read for ever.
#pragma once

#include "core/learner/learner_state.h"
#include "core/learner/problem.h"

namespace prequel {

// Of a state that was read from version 1 to 7: nothing is known yet of how means of counts come
// true on the whole.
void UpgradeFromV7(const Problem& problem, LearnerState& state);

}  // namespace prequel
