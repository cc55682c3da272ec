// What Adam, and what steps like it, remember of their gradients.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/linalg/tiles.h"
#include "core/linalg/types.h"
#include "core/rules/rule_state.h"

namespace prequel {

// AdamState has `kPerWeight` quantities learned for every weight, one after the other in each
// vector.
template <Index kPerWeight>
struct AdamState : StateDefaults {
  std::int64_t steps = 0;  // t
  Vector momentum;         // b: kPerWeight · D
  Vector squares;          // s: kPerWeight · D, not negative

  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("steps", s.steps);
    a.Value("momentum", s.momentum);
    a.Value("squares", s.squares);
  }

  static double Numbers(double params, double /*spread*/) { return 2 * kPerWeight * params; }
  bool IsSound(Index params) const {
    const Index size = steps > 0 ? kPerWeight * params : 0;
    return IsCount(steps) && momentum.size() == size && squares.size() == size &&
           momentum.allFinite() && squares.allFinite() && (size == 0 || squares.minCoeff() >= 0);
  }
};

// One step of both averages, each 0 before the first step:
//   b ← β₁ b + (1 − β₁) g,   s ← β₂ s + (1 − β₂) h ∘ h
template <class State>
class AdamAverages {
 public:
  // The constructor counts the step into `next`, which may be `state`, and sizes it for `size`
  // entries. Both outlive this.
  AdamAverages(const State& state, double beta1, double beta2, Index size, State& next)
      : state_(state), next_(next), first_(state.steps == 0), beta1_(beta1), beta2_(beta2) {
    next.momentum.resize(size);
    next.squares.resize(size);
    next.steps = state.steps + 1;
    const auto t = static_cast<double>(next.steps);
    momentum_scale_ = 1 / (1 - std::pow(beta1, t));
    squares_scale_ = 1 / (1 - std::pow(beta2, t));
  }

  // The scales take b and s to the unbiased b̂ and ŝ.
  double momentum_scale() const { return momentum_scale_; }
  double squares_scale() const { return squares_scale_; }

  // Advance averages the entries from `at` on, of which g and h are given, into `next`, b and s.
  void Advance(Index at, const Tile& g, const Tile& h, Tile& b, Tile& s) {
    const Index n = g.size();
    b = (1 - beta1_) * g;
    s = (1 - beta2_) * h.square();
    if (!first_) {
      b += beta1_ * state_.momentum.segment(at, n).array();
      s += beta2_ * state_.squares.segment(at, n).array();
    }
    next_.momentum.segment(at, n) = b;
    next_.squares.segment(at, n) = s;
  }

 private:
  const State& state_;
  State& next_;
  const bool first_;
  const double beta1_, beta2_;
  double momentum_scale_ = 0, squares_scale_ = 0;
};

}  // namespace prequel
