// LearnerState as bytes.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/learner/learner_state.h"
#include "core/learner/problem.h"

namespace prequel {

// Sealed (core/archive/archive.h: magic "PREQUELS", version 1, CRC-32C). The body is the
// fingerprint of the configuration, what the beliefs share, as its parts list their fields, the
// number of beliefs, and of each:
//   log weight | noise | number of tracks, and these | scales of its prior | dynamics: name, state
//   | posterior: name | rule: name | the two's fields, or, with storage float32, both packed as one
//   string
// Of a covariance the lower triangle is stored. Equal states give equal bytes.
std::string EncodeState(const Problem& problem, const LearnerState& state);

// DecodeState: DATA_LOSS for bytes that are damaged or do not describe a sound state;
// FAILED_PRECONDITION for an unknown version or another configuration: neither this one with its
// defaults filled in nor as it was given to Learner::Create.
absl::StatusOr<LearnerState> DecodeState(const Problem& problem, std::string_view bytes);

}  // namespace prequel
