// Version 4 of a state's bytes, and what versions 1 to 4 lacked; all are read for ever.
#pragma once

#include "core/learner/learner_state.h"
#include "core/learner/problem.h"

namespace prequel {

// Of a state that was read from version 1, 2, 3 or 4: nobody has watched for changes, nor scored
// the belief that stands still; how long ago the latest restart was is not known.
void UpgradeFromV4(const Problem& problem, LearnerState& state);

}  // namespace prequel
