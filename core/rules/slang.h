// SLANG, structured natural-gradient variational inference (Mishkin, Kunstner, Nielsen, Schmidt,
// Khan 2018). With θ_k ~ q, k = 1 … K, and a minibatch of B of N examples:
//   B̃ = √(N/BK) [g_ki],  g_ki = ∇ log p(y_i | θ_k)             (fisher: the empirical Fisher)
//   B̃ = √(N/BK) [J_iᵀ G_i at θ_k]                              (ggn: Gauss–Newton)
//   W' = the L largest eigenpairs of (1 − β) W Wᵀ + β B̃ B̃ᵀ
//   d' = (1 − β) d + β δ + diag of what was dropped
//   b' = β₁ b + (1 − β₁) [−(N/BK) Σ g_ki + δ (m − m₀)]
//   m' = m − α (W' W'ᵀ + diag(d'))⁻¹ b'/(1 − β₁ᵗ)
// α and β go as 1/(1 + t^0.51), or stay. With room for every direction this is variational online
// Newton (VON).
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/posteriors/low_rank_gaussian.h"
#include "core/rules/rule_defaults.h"
#include "core/rules/step_input.h"

namespace prequel {

struct Slang : SteppingRule {
  static constexpr std::string_view kName = "slang";
  static constexpr std::string_view kHolds = "keeps a precision of low rank";
  static constexpr std::string_view kRemedy =
      "use a smaller alpha, more samples, or a larger initial_curvature";

  enum class Curvature { kFisher, kGgn };

  struct State : StateDefaults {
    std::int64_t steps = 0;  // t
    Vector momentum;         // b: D

    template <class A, class Self>
    static void Fields(A& a, Self& s) {
      a.Value("steps", s.steps);
      a.Value("momentum", s.momentum);
    }
    static double Numbers(double params, double /*spread*/) { return params; }
    bool IsSound(Index params) const;
  };

  Curvature curvature = Curvature::kFisher;
  double alpha = 0.05, beta = 0.05, beta1 = 0.9;
  bool decays = true;
  // initial_curvature is h₀: d starts at δ + N h₀. From the prior alone the first draws would be as
  // wild as it is wide.
  double initial_curvature = 0.1;
  Index samples = 1;  // K

  absl::Status Configure(Options& options);

  absl::Status Step(const StepInput& input, const LowRankGaussian& q, const State& state,
                    LowRankGaussian& next_q, State& next_state) const;

 private:
  // Sample draws from N(mean, (diag(d) + W Wᵀ)⁻¹) as factored in scratch.woodbury: it writes √β B̃
  // to the right of the first L columns of scratch.columns, and Σ g_ki to scratch.mean_gradient.
  void Sample(const StepInput& input, const Vector& mean, Index rank, double beta_now) const;
};

}  // namespace prequel
