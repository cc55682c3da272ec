// Natural-gradient stochastic variational inference in (m, ρ), ρ = log σ, a baseline. The Fisher
// matrix of q = N(m, diag(Λ)⁻¹), Λ = σ⁻², is diag(Λ, 2), so that descending −ELBO by α is
//   m ← m − α Λ⁻¹ [(N/B) G + Λ₀ (m − m₀)],                G = −Σ_i E_q[∇ log p_i]
//   ρ ← ρ − ½ α Λ⁻¹ [(N/B) diag H + Λ₀ − Λ],  that is     Λ ← Λ exp(α E/Λ),
// with E as in core/rules/newton_step.h: iblr is this to second order in α, von to first. A step
// moves m by at most one deviation and log Λ by at most 1, since far from the optimum, or with an
// unlucky draw, the exponential would end it.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/posteriors/diagonal_gaussian.h"
#include "core/rules/derivatives.h"
#include "core/rules/rule_defaults.h"
#include "core/rules/step_input.h"

namespace prequel {

struct NaturalGradientSvi : SteppingRule {
  static constexpr std::string_view kName = "natural_gradient_svi";
  static constexpr std::string_view kHolds = "keeps one deviation per weight";
  static constexpr std::string_view kRemedy = "use a smaller alpha or more samples";

  using State = StepCount;

  double alpha = 0.05;  // recursive: 0.2
  Index samples = 4;    // of the reparameterised G and H

  absl::Status Configure(Options& options);

  absl::Status Step(const StepInput& input, const DiagonalGaussian& q, const State& state,
                    DiagonalGaussian& next_q, State& next_state) const;
};

}  // namespace prequel
