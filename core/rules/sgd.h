// Stochastic gradient descent with momentum, a baseline that knows no uncertainty. One step on
//   ℓ(θ) = −(1/B) Σ_i log p(y_i | θ) + (1/2N) (θ − m₀)ᵀ Λ₀ (θ − m₀):
//   b ← μ b + ∇ℓ(m),   m ← m − α_t b
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/posteriors/point_mass.h"
#include "core/rules/rule_defaults.h"
#include "core/rules/schedule.h"
#include "core/rules/step_input.h"

namespace prequel {

struct Sgd : SteppingRule {
  static constexpr std::string_view kName = "sgd";
  static constexpr std::string_view kHolds = "keeps a mean and no variance";
  static constexpr std::string_view kRemedy = "use a smaller alpha or momentum";

  struct State : StateDefaults {
    std::int64_t steps = 0;
    Vector momentum;  // b: D

    template <class A, class Self>
    static void Fields(A& a, Self& s) {
      a.Value("steps", s.steps);
      a.Value("momentum", s.momentum);
    }
    static double Numbers(double params, double /*spread*/) { return params; }
    bool IsSound(Index params) const {
      return IsCount(steps) && momentum.size() == (steps > 0 ? params : 0) && momentum.allFinite();
    }
  };

  Schedule schedule;
  double alpha = 0.01, momentum = 0.9;

  absl::Status Configure(Options& options);

  absl::Status Step(const StepInput& input, const PointMass& q, const State& state,
                    PointMass& next_q, State& next_state) const;
};

}  // namespace prequel
