// A configuration as a number.
#pragma once

#include <cstdint>

#include "core/config/learner_config.h"

namespace prequel {

// Equal for equal configurations, whichever build looks: stored states are known by it. A part that
// an earlier build did not know counts only where it is not what that build did anyhow.
std::uint64_t Fingerprint(const LearnerConfig& config);

}  // namespace prequel
