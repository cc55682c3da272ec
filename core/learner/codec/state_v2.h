// Version 2 of a state's bytes, and what versions 1 and 2 held otherwise; both are read for ever.
#pragma once

#include "core/learner/learner_state.h"
#include "core/learner/problem.h"

namespace prequel {

// Of a state that was read from version 1 or 2.
// Rule `rvga` held the covariance P of a linear model with learned noise as it is; since then
// P̃ = P/σ², in units of the noise, with σ² = β/α of each output. The largest count was not kept,
// so there is no bound on rates. No beliefs were mixed.
void UpgradeFromV2(const Problem& problem, LearnerState& state);

}  // namespace prequel
