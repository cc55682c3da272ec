// Implicit R-VGA for linear logistic regression in closed form, one example at a time.
#pragma once

#include "absl/status/status.h"
#include "core/expansion/expansion.h"
#include "core/posteriors/full_gaussian.h"

namespace prequel {

// Lambert, Bonnabel, Bach 2022. With β² = 8/π, k(ν) = β/√(ν + β²), so that E σ(f) ≈ σ(k a) for
// f ~ N(a, ν); per example, with a₀ = xᵀm and ν₀ = xᵀP x under the current q, solve
//     a + ν₀ σ(k a) = a₀ + ν₀ y,    ν = ν₀ / (1 + ν₀ k σ'(k a))
// then m ← m + P x (y − σ(k a)),  P ← P − s P x xᵀ P,  s = 1/(ν₀ + 1/(k σ'(k a))).
// The examples of the minibatch are folded in one after another. REQUIRES: `expansion` is
// linearised, of a linear model with one logit, its targets in {0, 1}. Writes the whole of `next`.
absl::Status FitLogisticClosedForm(const Expansion& expansion, const FullGaussian& prior,
                                   Matrix& jacobian, Vector& gain, FullGaussian& next);

// The root (a, ν) for one example; exposed for its tests.
struct LogisticRoot {
  double a = 0, nu = 0;
  double k = 0;  // k(ν)
};
LogisticRoot SolveLogisticRoot(double a0, double nu0, double y);

}  // namespace prequel
