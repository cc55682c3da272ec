// A configuration as a number.
#pragma once

#include <cstdint>

#include "core/config/learner_config.h"

namespace prequel {

// Fingerprint is equal for equal configurations, whichever build looks: stored states are known by
// it.
std::uint64_t Fingerprint(const LearnerConfig& config);

}  // namespace prequel
