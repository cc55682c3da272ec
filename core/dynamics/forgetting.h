// What was learned counts the less the older it is, and the prior takes its place: stabilised
// forgetting (Kulhavý and Zarrop 1993, "On a general concept of forgetting"). Over n rows, with the
// prior N(m₀, Λ₀⁻¹), k = γⁿ by weight and a = (1 − k) Λ₀,
//   Λ ← √k Λ √k + a,   m ← m + Λ⁻¹ a (m₀ − m) with the new Λ
// which comes to the same in any steps where all weights have one γ. Where no row says anything of
// a weight it goes back to the prior, and no further; λΛ alone would make it as vague as you like.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/dynamics/by_intercept.h"
#include "core/dynamics/dynamics_defaults.h"
#include "core/posteriors/posterior.h"

namespace prequel {

// Options:
//   factor            γ in [0.001, 1] per row; 0.999 unless given, as if of the last thousand rows
//   intercept_factor  that of the outputs' intercepts; `factor` unless given
class Forgetting : public DynamicsDefaults {
 public:
  static constexpr std::string_view kName = "forgetting";
  static constexpr bool kMoves = true;

  using State = NoDynamicsState;

  absl::Status Configure(Options& options, const MovingModel& /*model*/) {
    options.Describe("what was learned counts the less the older it is, and the prior the more",
                     "of a covariance 4D³ flops a step");
    return factors_.Configure(options, 0.999);
  }

  bool Moves(Index /*belief*/) const { return factors_.moves(); }

  // Move takes the posteriors with a precision. One that stops being positive definite becomes NaN.
  void Move(const Passage& passage, FullGaussian& q, DynamicsScratch& scratch) const;
  void Move(const Passage& passage, DiagonalGaussian& q, DynamicsScratch& scratch) const;
  void Move(const Passage& passage, LowRankGaussian& q, DynamicsScratch& scratch) const;
  void Move(const Passage& passage, BlockDiagonalGaussian& q, DynamicsScratch& scratch) const;
  void Move(const Passage& passage, PerUnitGaussian& q, DynamicsScratch& scratch) const;
  void Move(const Passage& passage, SubsetGaussian& q, DynamicsScratch& scratch) const;

 private:
  // Share writes k and a to scratch.keep and scratch.added.
  void Share(const Passage& passage, DynamicsScratch& scratch) const;

  FactorsByIntercept factors_;
};

}  // namespace prequel
