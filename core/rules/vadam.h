// Vadam, variational Adam (Khan et al. 2018), with mean-field q = N(m, diag(Λ)⁻¹), Λ = N s + Λ₀:
//   ĝ = ∇ℓ̄(θ), θ ~ q  (the mean over the draws)
//   b ← β₁ b + (1 − β₁) [ĝ + Λ₀ (m − m₀)/N],   s ← β₂ s + (1 − β₂) ĝ∘ĝ
//   m ← m − α_t b̂/(√ŝ + Λ₀/N),   b̂ = b/(1 − β₁ᵗ),  ŝ = s/(1 − β₂ᵗ)
// s squares a minibatch's mean gradient, not each example's: Λ depends on B, and where the mean
// vanishes it is a B-th of what VOGN's empirical Fisher gives.
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

struct Vadam : SteppingRule {
  static constexpr std::string_view kName = "vadam";
  static constexpr std::string_view kHolds = "keeps one precision per weight";
  static constexpr std::string_view kRemedy = "use a smaller alpha";

  using State = AdamState<1>;

  double alpha = 1e-3, beta1 = 0.9, beta2 = 0.999;
  Schedule schedule;  // of α
  Index samples = 1;

  absl::Status Configure(Options& options);

  absl::Status Step(const StepInput& input, const DiagonalGaussian& q, const State& state,
                    DiagonalGaussian& next_q, State& next_state) const;
};

}  // namespace prequel
