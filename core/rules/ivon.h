// IVON, the improved variational online Newton method (Shen et al. 2024), with mean-field Gaussian
// q = N(m, diag(Λ)⁻¹), Λ = λ(h + δ), λδ = Λ₀, and ℓ̄ the mean negative log-likelihood:
//   θ_k = m + ε_k,  ε_k ~ N(0, Λ⁻¹),   ĝ = mean_k ∇ℓ̄(θ_k),  f = mean_k Λ ∘ ε_k ∘ ∇ℓ̄(θ_k)
//   g ← β₁ g + (1 − β₁) ĝ
//   h ← β₂ h + (1 − β₂) f + ½ (1 − β₂)² (h − f)² / (h + δ)
//   m ← m − α_t (h₀ + δ) clip_ξ[(g/(1 − β₁ᵗ) + δ (m − m₀)) / (h + δ)]
// f estimates the diagonal of the Hessian by Stein's identity: no gradient per example and no
// second derivative. The posterior's precision holds h; in terms of it, with ρ = 1 − β₂,
//   E = λ f + Λ₀ − Λ,   Λ ← Λ + ρ E + ½ ρ² E²/Λ,
// which is positive whatever f is (the improved Bayesian learning rule, Lin et al. 2020).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/posteriors/diagonal_gaussian.h"
#include "core/rules/rule_defaults.h"
#include "core/rules/schedule.h"
#include "core/rules/step_input.h"

namespace prequel {

struct Ivon : SteppingRule {
  static constexpr std::string_view kName = "ivon";
  static constexpr std::string_view kHolds = "keeps one precision per weight";
  static constexpr std::string_view kRemedy =
      "use a smaller alpha, a clip_radius, or a larger beta2 or initial_curvature";

  struct State : StateDefaults {
    std::int64_t steps = 0;  // t
    Vector momentum;         // g: D

    template <class A, class Self>
    static void Fields(A& a, Self& s) {
      a.Value("steps", s.steps);
      a.Value("momentum", s.momentum);
    }
    static double Numbers(double params, double /*spread*/) { return params; }
    bool IsSound(Index params) const;
  };

  double alpha = 0.1, beta1 = 0.9;
  double beta2 = 0.9999;           // recursive: 0.9, for it forgets within the passes
  double initial_curvature = 0.1;  // h₀, dataset only: a recursive fit starts at q_{t−1}
  bool rescale = true;             // steps by α (h₀ + δ), as above; recursive: by α
  Schedule schedule;               // of α, dataset only
  double clip_radius = 0;          // ξ; 0: none
  double effective_size = 0;       // λ, dataset only; 0: N
  Index samples = 1;               // K

  absl::Status Configure(Options& options);

  absl::Status Step(const StepInput& input, const DiagonalGaussian& q, const State& state,
                    DiagonalGaussian& next_q, State& next_state) const;
};

}  // namespace prequel
