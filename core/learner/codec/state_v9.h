// What is made of states up to version 9, whose units were the running moments and whose served
// intervals were central.
#pragma once

#include "core/learner/learner_state.h"
#include "core/learner/problem.h"

namespace prequel {

void UpgradeFromV9(const Problem& problem, LearnerState& state);

}  // namespace prequel
