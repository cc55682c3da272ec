// Laplace's approximation (MacKay 1992; Daxberger, Kristiadi, Immer, Eschenhagen, Bauer, Hennig
// 2021, "Laplace redux"): the Gaussian at the mode with the curvature there,
//   m = argmax_θ Σ_{i≤N} log p(y_i | θ) − ½ (θ − m₀)ᵀ Λ₀ (θ − m₀)
//   Λ = Λ₀ + Σ_{i≤N} J_iᵀ W_i J_i,   J_i, W_i at m
// found in phases along the stream of minibatches, each of which serves one of them:
//   map        Adam on m, with α_t = α ½ (1 + cos π·progress); Λ stays Λ₀
//   choose     (posterior subnetwork only; Daxberger et al. 2021) one pass of h ← h + diag H:
//              S is the weights of the largest 1/(λ₀ + (N/n) h), n the examples of the phase
//   curvature  H ← H + Σ_i J_iᵀ W_i J_i of the minibatch, Λ = Λ₀ + (N/n) H: exact when n = N, and
//              after whole passes; from then on for good. On posterior kronecker H is A ⊗ S / n of
//              every layer (core/models/kronecker.h), and Λ is made anew after 1, 2, 4, 8, …
//              minibatches and after whole passes: that is the dear part.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/models/kronecker.h"
#include "core/posteriors/diagonal_gaussian.h"
#include "core/posteriors/full_gaussian.h"
#include "core/posteriors/kronecker_gaussian.h"
#include "core/posteriors/subset_gaussian.h"
#include "core/rules/adam.h"
#include "core/rules/rule_defaults.h"
#include "core/rules/step_input.h"

namespace prequel {

struct LaplaceState : StateDefaults {
  static constexpr std::int64_t kMap = 0, kChoose = 1, kCurvature = 2;

  std::int64_t steps = 0;
  std::int64_t phase = kMap;
  std::int64_t phase_steps = 0;  // minibatches and examples that the phase has had
  std::int64_t phase_examples = 0;
  AdamState<1> adam;                      // of the map phase, afterwards empty
  Vector diagonal;                        // h: D, of the choose phase and of a diagonal posterior
  Matrix curvature;                       // H: D × D or S × S, lower triangle
  std::vector<KroneckerFactors> factors;  // A and S of every layer

  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("steps", s.steps);
    a.Value("phase", s.phase);
    a.Value("phase_steps", s.phase_steps);
    a.Value("phase_examples", s.phase_examples);
    a.Value("adam", s.adam);
    a.Value("diagonal", s.diagonal);
    a.LowerTriangle("curvature", s.curvature);
    a.Value("factors", s.factors);
  }
  // Numbers are those of the phase that holds the most.
  static double Numbers(double params, double spread) { return std::max(2 * params, spread); }
  bool IsSound(Index params) const;
  // Suits: whether the state has what the phase has gathered of such a posterior, and nothing else.
  // REQUIRES: it is sound.
  bool Suits(const DiagonalGaussian& q) const;
  bool Suits(const FullGaussian& q) const;
  bool Suits(const SubnetworkGaussian& q) const;
  bool Suits(const KroneckerGaussian& q) const;

  // Within: whether a minibatch has served that phase, which is the present one.
  bool Within(std::int64_t which) const { return phase == which && phase_steps > 0; }

 private:
  bool Holds(Index of_diagonal, Index of_curvature) const;
};

struct Laplace : SteppingRule {
  static constexpr std::string_view kName = "laplace";
  static constexpr std::string_view kHolds = "keeps the curvature at the mode";
  static constexpr std::string_view kRemedy = "use a smaller alpha or a larger epsilon";

  using State = LaplaceState;

  Adam adam;
  // The length of the map phase: in minibatches when `map_steps` is given, else in passes over N.
  // None: the mode is the prior's mean (imported weights).
  bool in_steps = false;
  Index map_steps = 0;
  double map_passes = 10;

  absl::Status Configure(Options& options);

  bool HasCurvature(const State& state) const { return state.Within(State::kCurvature); }
  // PredictiveOf is by the mean until there is a curvature: before, q does not say how sure it is.
  MatchedPredictive PredictiveOf(const State& state) const;
  // Describe says what the next minibatch serves, "map", "choose" or "curvature", and whether a
  // whole pass has gone into the curvature.
  void Describe(const State& state, StepReport& report) const;

  absl::Status Step(const StepInput& input, const DiagonalGaussian& q, const State& state,
                    DiagonalGaussian& next_q, State& next_state) const;
  // Step takes, in the curvature phase, about 7D³/3 flops beside nD² for the curvature.
  absl::Status Step(const StepInput& input, const FullGaussian& q, const State& state,
                    FullGaussian& next_q, State& next_state) const;
  absl::Status Step(const StepInput& input, const SubnetworkGaussian& q, const State& state,
                    SubnetworkGaussian& next_q, State& next_state) const;
  absl::Status Step(const StepInput& input, const KroneckerGaussian& q, const State& state,
                    KroneckerGaussian& next_q, State& next_state) const;

 private:
  // Enter copies `state` to `next`, leaves a map phase of no length for `after`, counts the
  // minibatch.
  void Enter(const StepInput& input, const State& state, std::int64_t after, State& next) const;
  // Climb takes one step of the map phase; the last one enters `after`. `next_mean` may be `mean`.
  void Climb(const StepInput& input, const Vector& mean, std::int64_t after, Vector& next_mean,
             State& state) const;
  // Progress is the share of the map phase that is over after so much of it: 1 at its end.
  double Progress(std::int64_t steps, std::int64_t examples) const;
};

}  // namespace prequel
