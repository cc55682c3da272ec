// The Newton-like step of the Bayesian learning rule (Khan and Rue 2021), on a full or a diagonal
// posterior, that the rules von and iblr are:
//   E  = (N/B) H + Λ₀ − Λ,               H = Σ_i E_q[−∇² log p_i]  (diagonal: of it)
//   Λ' = Λ + β E  [ + ½ β² E Λ⁻¹ E ]     [improved]
//   m' = m − β Λ'⁻¹ [(N/B) G + Λ₀ (m − m₀)],  G = −Σ_i E_q[∇ log p_i]
// E is 0 and m' = m where q maximises the ELBO: there Λ = Λ₀ + (N/B) H.
// Dataset mode starts at N(m₀, (Λ₀ + N h₀)⁻¹): under a vague prior the logits are so uncertain that
// their curvature all but vanishes, and a step over so little of it would go far beyond the
// optimum.
#pragma once

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/posteriors/diagonal_gaussian.h"
#include "core/posteriors/full_gaussian.h"
#include "core/rules/derivatives.h"
#include "core/rules/rule_defaults.h"
#include "core/rules/step_input.h"

namespace prequel {

struct NewtonStep : SteppingRule {
  Averaging averaging;
  Curvature curvature = Curvature::kGaussNewton;  // or kReparameterized, by Monte Carlo
  double beta = 0.5;                              // dataset: 0.03
  double initial_curvature = 1;                   // h₀, dataset only
  bool improved = false;

  using State = StepCount;

  // Configure reads all options except `curvature` and `improved`.
  void Configure(Options& options);

  absl::Status Step(const StepInput& input, const DiagonalGaussian& q, const State& state,
                    DiagonalGaussian& next_q, State& next_state) const;
  // Step is INTERNAL when Λ' is not positive definite. Beside the curvature, about 6D³ flops.
  absl::Status Step(const StepInput& input, const FullGaussian& q, const State& state,
                    FullGaussian& next_q, State& next_state) const;

 private:
  // Advance takes one step from q.
  absl::Status Advance(const StepInput& input, const DiagonalGaussian& q,
                       DiagonalGaussian& next_q) const;
  absl::Status Advance(const StepInput& input, const FullGaussian& q, FullGaussian& next_q) const;
};

}  // namespace prequel
