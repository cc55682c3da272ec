// Whether two states learned the same, where one is of a build that compared with less, or did not
// watch for changes.
#pragma once

#include "core/learner/learner_state.h"

namespace prequel {

// `state` as if its evaluation had not been compared with what knows no inputs (core/skill), nor
// anybody watched for changes (core/change).
LearnerState WithoutReferences(LearnerState state);

// Whether either has seen fewer rows than the model: an older build began it.
bool LacksReferences(const LearnerState& state);

}  // namespace prequel
