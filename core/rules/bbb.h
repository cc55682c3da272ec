// Bayes by backprop (Blundell et al. 2015), the baseline of stochastic variational inference: Adam
// on (m, ρ), ρ = log σ, of q = N(m, diag(σ²)), descending −ELBO/N by the reparameterised gradient.
// With θ = m + ε, ε ~ N(0, σ²), means over the draws, and Λ = σ⁻²:
//   g_m = ∇ℓ̄(θ) + Λ₀ (m − m₀)/N
//   g_ρ = ε ∘ ∇ℓ̄(θ) + (Λ₀/Λ − 1)/N
// each followed by Adam's b, s and step (core/rules/adam.h); ρ ← ρ − u is Λ ← Λ exp(2u).
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/posteriors/diagonal_gaussian.h"
#include "core/rules/adam_state.h"
#include "core/rules/rule_defaults.h"
#include "core/rules/schedule.h"
#include "core/rules/step_input.h"

namespace prequel {

struct Bbb : SteppingRule {
  static constexpr std::string_view kName = "bbb";
  static constexpr std::string_view kHolds = "keeps one deviation per weight";
  static constexpr std::string_view kRemedy = "use a smaller alpha";

  using State = AdamState<2>;  // of m, then of ρ

  double alpha = 1e-2, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  Schedule schedule;  // of α, dataset only
  Index samples = 1;

  absl::Status Configure(Options& options);

  absl::Status Step(const StepInput& input, const DiagonalGaussian& q, const State& state,
                    DiagonalGaussian& next_q, State& next_state) const;
};

}  // namespace prequel
