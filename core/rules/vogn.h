// VOGN, variational online Gauss-Newton (Khan et al. 2018; for deep networks Osawa et al. 2019),
// with mean-field q = N(m, diag(Λ)⁻¹), ℓ̄ the mean negative log-likelihood, N the examples times
// the augmentation factor, δ = τ Λ₀/N:
//   ĝ = mean_k ∇ℓ̄(θ_k),  ĥ = mean_k (1/B) Σ_i diag H_i(θ_k),   θ_k ~ q
//   s ← β₂ s + (1 − β₂) ĥ                                       (at first s = ĥ)
//   b ← β₁ b + (1 − β₁) [ĝ + δ (m − m₀)]
//   m ← m − α_t (b/(1 − β₁ᵗ)) / (s + δ + γ),   Λ = (N/τ) (s + δ + γ)
// H_i is g_i g_iᵀ (empirical_fisher, as in the papers: one back-propagation) or J_iᵀ W_i J_i (ggn:
// one per logit, and the precision is then that of the mean-field optimum).
//
// With q in Kronecker form (core/posteriors/kronecker_gaussian.h) s is A ⊗ S of every layer,
//   A ← β A + (1 − β) mean_i ã_i ã_iᵀ,   S ← β S + (1 − β) mean_i δ_i δ_iᵀ,   β = min(β₂, 1 − 1/t)
//   Λ = (N/τ) [A ⊗ S + (τ D/N + γ) ⊗ I]
// with δ_i the layer's cotangent of log p_i (empirical_fisher) or the columns Δ_i G_i (ggn). With
// ggn it is exact for a linear model with gaussian likelihood. The first minibatch has fewer rows
// than A has columns, and what it does not span has the prior's precision alone: hence the plain
// average at first (Martens and Grosse 2015), where β₂ would leave it so for long.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/models/kronecker.h"
#include "core/posteriors/diagonal_gaussian.h"
#include "core/posteriors/kronecker_gaussian.h"
#include "core/rules/derivatives.h"
#include "core/rules/rule_defaults.h"
#include "core/rules/schedule.h"
#include "core/rules/step_input.h"

namespace prequel {

struct Vogn : SteppingRule {
  static constexpr std::string_view kName = "vogn";
  static constexpr std::string_view kHolds =
      "keeps one precision per weight, or two factors per layer";
  static constexpr std::string_view kRemedy = "use a smaller alpha, a damping, or a larger beta2";

  struct State : StateDefaults {
    std::int64_t steps = 0;  // t
    Vector momentum;         // b: D
    // `curvature` is s: D, not negative; in Kronecker form `factors` are A and S, of every layer.
    Vector curvature;
    std::vector<KroneckerFactors> factors;

    template <class A, class Self>
    static void Fields(A& a, Self& s) {
      a.Value("steps", s.steps);
      a.Value("momentum", s.momentum);
      a.Value("curvature", s.curvature);
      a.Value("factors", s.factors);
    }
    static double Numbers(double params, double spread) { return params + spread; }
    bool IsSound(Index params) const;
    // Suits: whether it is of the family, and has its shape. REQUIRES: it is sound.
    bool Suits(const DiagonalGaussian& q) const;
    bool Suits(const KroneckerGaussian& q) const;
  };

  Curvature curvature = Curvature::kEmpiricalFisher;
  Index samples = 1;  // K; 0: θ = m
  double alpha = 0.01, beta1 = 0.9;
  double beta2 = 0.999;  // recursive: 0.9, for it forgets within the passes
  // The next five options are of dataset mode.
  Schedule schedule;       // of α
  double damping = 0;      // γ
  double temperature = 1;  // τ, reached from a tenth of it in `warm_up` steps
  Index warm_up = 0;
  double augmentation = 1;  // N is that times dataset_size
  // `refresh`, in Kronecker form: Λ is made anew of A and S every `refresh` steps, at first after
  // 1, 2, 4, 8, … as well and in every step of a warm-up, and stays between. It is the dear part of
  // a step.
  Index refresh = 1;

  absl::Status Configure(Options& options);
  // CheckFor: the options must be those of the posterior's family.
  absl::Status CheckFor(const Setting& setting, const DiagonalGaussian& prototype) const;
  absl::Status CheckFor(const Setting& setting, const KroneckerGaussian& prototype) const;

  absl::Status Step(const StepInput& input, const DiagonalGaussian& q, const State& state,
                    DiagonalGaussian& next_q, State& next_state) const;
  // REQUIRES: dataset mode.
  absl::Status Step(const StepInput& input, const KroneckerGaussian& q, const State& state,
                    KroneckerGaussian& next_q, State& next_state) const;

 protected:
  void ConfigureStep(Options& options);  // all but `samples`

 private:
  double Temperature(std::int64_t t) const;
};

}  // namespace prequel
