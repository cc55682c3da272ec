// The curvature of layers as Kronecker factors, and the gradient beside it: what a stepping rule
// asks of a minibatch when its posterior is in Kronecker form (core/rules/derivatives.h is the same
// of diagonals).
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "core/models/kronecker.h"
#include "core/posteriors/kronecker_gaussian.h"
#include "core/rules/derivatives.h"
#include "core/rules/step_input.h"

namespace prequel {

using Factors = std::vector<KroneckerFactors>;  // of every layer

// Blend sets out = keep · before + share · added; before may be out, and has no meaning when keep
// is 0.
void Blend(double keep, const Factors& before, double share, const Factors& added, Factors& out);

// EvaluateFactorsAt writes Σ_i g_i of log p_i and the factors' sums at θ to scratch.mean_gradient
// and scratch.kronecker.factors. `forwarded`: the expansion has gone forward at θ already.
void EvaluateFactorsAt(const StepInput& in, const Vector& theta, bool forwarded, Curvature kind);

// AverageFactorsOverDraws writes their means over `samples` draws of θ from q.
absl::Status AverageFactorsOverDraws(const StepInput& in, const KroneckerGaussian& q, Index samples,
                                     Curvature kind);

}  // namespace prequel
