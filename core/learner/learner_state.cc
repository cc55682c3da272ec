#include "core/learner/learner_state.h"

#include "core/learner/belief.h"

namespace prequel {

LearnerState::LearnerState() = default;
LearnerState::LearnerState(const LearnerState&) = default;
LearnerState::LearnerState(LearnerState&&) noexcept = default;
LearnerState& LearnerState::operator=(const LearnerState&) = default;
LearnerState& LearnerState::operator=(LearnerState&&) noexcept = default;
LearnerState::~LearnerState() = default;

}  // namespace prequel
