// The beliefs of a model that keeps its weights in float32: what the fold reads and writes in
// doubles is rounded to the nearest float between minibatches, which halves what a model takes in
// memory, in snapshots and in files.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "core/learner/belief.h"
#include "core/learner/learner_state.h"
#include "core/learner/problem.h"

namespace prequel {

// Pack sets packed := all of `state`, with the vectors of its posteriors and its rules rounded:
// each number x becomes x (1 + δ), |δ| ≤ 2⁻²⁴, or within 2⁻¹⁴⁹ of x when |x| < 2⁻¹²⁶. INTERNAL when
// one is too large for a float, or a precision too small; `packed` is then unspecified. Allocates
// nothing once grown.
absl::Status Pack(const LearnerState& state, LearnerState& packed);

// Unpack undoes Pack, with the numbers as they were rounded. REQUIRES: `packed` is of this problem
// and storage.
void Unpack(const Problem& problem, const LearnerState& packed, LearnerState& state);

// UnpackParts reads the posterior and the rule of `bytes` into those of `belief`. DATA_LOSS when it
// is not their archive.
absl::Status UnpackParts(const Problem& problem, std::string_view bytes, Belief& belief);

}  // namespace prequel
