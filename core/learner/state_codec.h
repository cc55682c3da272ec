// LearnerState as bytes.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/learner/learner_state.h"
#include "core/learner/problem.h"

namespace prequel {

// Sealed (core/archive/archive.h: magic "PREQUELS", version, CRC-32C); the body starts with the
// fingerprint of the configuration, then the fields of LearnerState in order. The posterior and the
// rule's state are tagged with their names; of a covariance the lower triangle is stored. Equal
// states give equal bytes.
std::string EncodeState(const Problem& problem, const LearnerState& state);

// DATA_LOSS for bytes that are damaged or do not describe a sound state; FAILED_PRECONDITION for
// an unknown version or another configuration: neither this one with its defaults filled in nor as
// it was given to Learner::Create.
absl::StatusOr<LearnerState> DecodeState(const Problem& problem, std::string_view bytes);

// Equal for equal configurations.
std::uint64_t Fingerprint(const LearnerConfig& config);

}  // namespace prequel
