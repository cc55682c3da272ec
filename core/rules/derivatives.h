// Gradient and curvature of a minibatch's log-likelihood under a Gaussian posterior: what the steps
// of the Bayesian learning rule are made of. Sums over the minibatch, means over draws.
#pragma once

#include "core/config/options.h"
#include "core/linalg/types.h"
#include "core/posteriors/diagonal_gaussian.h"
#include "core/posteriors/full_gaussian.h"
#include "core/rules/step_input.h"

namespace prequel {

// What H = Σ_i E[−∇² log p_i] is estimated by; g_i = ∇ log p_i.
//   kGaussNewton       J_iᵀ W_i J_i, which is exact for linear models
//   kEmpiricalFisher   g_i g_iᵀ, a different and worse estimate: right only in expectation over
//                      labels that the model itself would give (diagonal posteriors only)
//   kReparameterized   −Λ ε (Σ_i g_i)ᵀ at θ = m + ε, by Stein's identity: unbiased for the Hessian
//                      itself and of either sign
enum class Curvature { kNone, kGaussNewton, kEmpiricalFisher, kReparameterized };

// DrawWeights sets θ := draw k of N(mean, diag(precision)⁻¹).
void DrawWeights(const StepInput& in, Index k, const Vector& mean, const Vector& precision,
                 Vector& theta);

// AverageOverDraws sets scratch.mean_gradient := Σ_i g_i and, unless kNone, scratch.curvature :=
// diag H, both D, averaged over `samples` draws of N(mean, diag(precision)⁻¹).
void AverageOverDraws(const StepInput& in, const Vector& mean, const Vector& precision,
                      Index samples, Curvature curvature);

// EvaluateAtMean sets both at θ = mean, which must be q's. REQUIRES: not kReparameterized.
void EvaluateAtMean(const StepInput& in, const Vector& mean, Curvature curvature);

// Averaging says what the expectation is over, as an option of a rule.
struct Averaging {
  // linearized: the logits of the network linearised at the mean, by quadrature (exact for linear
  // models, free of noise). mean: the logits at the mean. monte_carlo: `samples` draws of θ.
  enum class Over { kLinearized, kMean, kMonteCarlo };

  Over over = Over::kLinearized;
  Index samples = 4;

  // Configure reads "expectation" and, of monte_carlo, "samples".
  void Configure(Options& options);

  // Evaluate writes scratch.mean_gradient and scratch.curvature under q.
  void Evaluate(const StepInput& in, const DiagonalGaussian& q, Curvature curvature) const;
  // This one writes scratch.mean_gradient, and `precision` (D × D, lower triangle) += weight · H.
  absl::Status Evaluate(const StepInput& in, const FullGaussian& q, Curvature curvature,
                        double weight, Matrix& precision) const;
};

}  // namespace prequel
