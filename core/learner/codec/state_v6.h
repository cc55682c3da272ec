// Version 6 of a state's bytes, and what versions 1 to 6 lacked; all are read for ever.
#pragma once

#include "core/learner/learner_state.h"
#include "core/learner/problem.h"

namespace prequel {

// Of a state that was read from version 1 to 6: nothing is known yet of log odds place by place.
void UpgradeFromV6(const Problem& problem, LearnerState& state);

}  // namespace prequel
