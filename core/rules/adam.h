// Adam (Kingma and Ba 2015), the baseline that knows no uncertainty. One step on
//   ℓ(θ) = −(1/B) Σ_i log p(y_i | θ) + (1/2N) (θ − m₀)ᵀ Λ₀ (θ − m₀):
//   g = ∇ℓ(m)
//   b ← β₁ b + (1 − β₁) g
//   s ← β₂ s + (1 − β₂) g ∘ g
//   m ← m − α_t b̂ / (√ŝ + ε),   b̂ = b/(1 − β₁ᵗ),  ŝ = s/(1 − β₂ᵗ)
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/posteriors/point_mass.h"
#include "core/rules/adam_state.h"
#include "core/rules/rule_defaults.h"
#include "core/rules/schedule.h"
#include "core/rules/step_input.h"

namespace prequel {

struct Adam : SteppingRule {
  static constexpr std::string_view kName = "adam";
  static constexpr std::string_view kHolds = "keeps a mean and no variance";
  static constexpr std::string_view kRemedy = "use a smaller alpha or a larger epsilon";

  using State = AdamState<1>;

  double alpha = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  Schedule schedule;  // of α

  absl::Status Configure(Options& options);
  // Reads α, β₁, β₂ and ε.
  void ConfigureRates(Options& options);

  // The step on a mean, whatever it is the mean of; next_mean may be `mean`, next_state `state`.
  void StepMean(const StepInput& input, const Vector& mean, const State& state, Vector& next_mean,
                State& next_state) const;
  absl::Status Step(const StepInput& input, const PointMass& q, const State& state,
                    PointMass& next_q, State& next_state) const;
};

}  // namespace prequel
