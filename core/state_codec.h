// LearnerState as bytes.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/learner_state.h"
#include "core/problem.h"

namespace prequel {

// Sealed by Archive (magic "PQLS", version, CRC32C); the body starts with the fingerprint of the
// configuration, then the fields of LearnerState in order. The posterior and the rule's
// state are tagged with their names; of a covariance the lower triangle is stored. Equal states
// give equal bytes.
std::string EncodeState(const Problem& problem, const LearnerState& state);

// DATA_LOSS for bytes that are damaged or do not describe a sound state; FAILED_PRECONDITION for
// an unknown version or another configuration.
absl::StatusOr<LearnerState> DecodeState(const Problem& problem, std::string_view bytes);

// Identifies a resolved configuration; equal for equal configurations.
std::uint64_t Fingerprint(const LearnerConfig& config);

}  // namespace prequel
