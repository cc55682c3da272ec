// How wide the prior of a linear model's weights is, learned from what the weights have become.
//
// Where the noise is learned and a posterior is held in its units (Problem::in_noise_units), so is
// the prior N(m₀, σ² Λ₀⁻¹): as narrow as the noise is small, of what rows have not told as well,
// such as the weight of a category that was never seen. So each group of weights, those of all
// numbers and those of the categories of each feature, has a scale κ and the prior
// N(m₀, κ σ² Λ₀⁻¹). With λ = diag Λ₀ and P in units of the noise, MacKay's (1992) fixed point of
// the evidence, beside a weight that says 1, ν = 1:
//   κ = (ν + Σ_i λ_i (m_i − m₀_i)²/σ²)/(ν + γ),   γ = Σ_i (1 − λ_i P_ii/κ)
// where γ is how many weights of the group rows have told of. κ is found anew whenever there are a
// quarter more rows, and moves when it is a tenth from that. Intercepts have 1, and of a belief
// that drifts the numbers do, whose weights its drift keeps from being told for good: with scales
// of their own the mean of a trending stream erred by a tenth more.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "core/learner/learner_state.h"
#include "core/learner/problem.h"
#include "core/learner/scratch/workspace.h"

namespace prequel {

// NumPriorScales is how many scales a belief has; none unless they are learned.
Index NumPriorScales(const Problem& problem);

// FindPriorScales finds the scales of all beliefs of `state`, into w.units.scales, once in some
// rows, and returns whether some are new: `examples` are what will have been learned after these.
bool FindPriorScales(const Problem& problem, const LearnerState& state, std::int64_t examples,
                     Workspace& w);

// ChangePriorScales gives belief k of w.units.beliefs these scales. INTERNAL when its posterior is
// not positive definite.
absl::Status ChangePriorScales(const Problem& problem, std::size_t k, Workspace& w);

// ScalePriorPrecision writes the diagonal of the precision of belief k's prior with its scales, of
// all weights, to `precision`.
void ScalePriorPrecision(const Problem& problem, std::size_t k, const Vector& scales,
                         Vector& precision);

}  // namespace prequel
