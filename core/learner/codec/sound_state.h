// Whether a state is one that a fold could have come to.
#pragma once

#include <cstddef>

#include "absl/status/status.h"
#include "core/learner/learner_state.h"
#include "core/learner/problem.h"

namespace prequel {

inline constexpr std::size_t kMaxBeliefs = 64, kMaxTracks = 64;

// CheckSound: DATA_LOSS names what is of the wrong size, not finite or out of range: what is
// decoded was not written by this problem's fold.
absl::Status CheckSound(const Problem& problem, const LearnerState& state);

}  // namespace prequel
