// LearnerState as bytes.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/learner/learner_state.h"
#include "core/learner/problem.h"

namespace prequel {

// Sealed (core/archive/archive.h: magic "PREQUELS", version, CRC-32C). The body is the fingerprint
// of the configuration, the fields of CommonState in order, the largest counts, the mixing, the
// calibration, the references and what was compared, the restarts and how long ago the latest was,
// the scores of the belief that stands still, the change, the times, the map of log odds, the
// balance, the unseen categories, units and far values, the number of beliefs, and of each:
//   log weight | noise | number of tracks, and these | dynamics: name, state | posterior: name |
//   rule: name | the two's fields, or, with storage float32, both packed as one string
// Of a covariance the lower triangle is stored. Equal states give equal bytes.
std::string EncodeState(const Problem& problem, const LearnerState& state);

// Reads version 1 as well, which knew of one belief, 2, which knew of no mixing, 3, which knew of
// no tracks and no restarts, 4, which watched for no changes, 5, which knew of no event times, 6,
// which had no map of log odds, 7, which did not balance means of counts, 8, which counted no
// unseen categories, and 9, whose units were the running moments. DATA_LOSS for bytes that are
// damaged or do not describe a sound state; FAILED_PRECONDITION for an unknown version or another
// configuration: neither this one with its defaults filled in nor as it was given to
// Learner::Create.
absl::StatusOr<LearnerState> DecodeState(const Problem& problem, std::string_view bytes);

}  // namespace prequel
