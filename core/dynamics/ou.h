// Weights that are drawn back to the prior N(m₀, P₀) while they wander: an Ornstein–Uhlenbeck
// process, of which the prior is the stationary distribution. Over n rows, with k = νⁿ by weight,
//   m ← m₀ + k (m − m₀),   P ← k P k + (1 − k²) P₀
// which comes to the same in any steps.
#pragma once

#include <concepts>
#include <string_view>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/dynamics/by_intercept.h"
#include "core/dynamics/dynamics_defaults.h"
#include "core/posteriors/posterior.h"

namespace prequel {

// Options:
//   factor            ν in [0.001, 1] per row; 0.9995 unless given: half of what a weight is off
//                     the prior is gone after 1400 rows
//   intercept_factor  that of the outputs' intercepts; `factor` unless given
class OrnsteinUhlenbeck : public DynamicsDefaults {
 public:
  static constexpr std::string_view kName = "ou";
  static constexpr bool kMoves = true;

  using State = NoDynamicsState;

  absl::Status Configure(Options& options, const MovingModel& /*model*/) {
    options.Describe("weights are drawn back to the prior while they wander");
    return factors_.Configure(options, 0.9995);
  }

  bool Moves(Index /*belief*/) const { return factors_.moves(); }

  // Move takes a posterior, rather than its covariance alone, since the mean moves too.
  template <Diffusive Q>
  requires std::derived_from<Q, PosteriorDefaults>
  void Move(const Passage& passage, Q& q, DynamicsScratch& scratch) const {
    factors_.Over(passage, scratch.keep);
    const auto k = scratch.keep.array();
    q.mean.array() = passage.prior_mean.array() + k * (q.mean.array() - passage.prior_mean.array());
    if constexpr (std::derived_from<Q, SubsetGaussian>) q.Gather();
    scratch.added = (1 - k.square()) * passage.prior_variances.array();
    scratch.keep = k.square().max(kLeastKept);
    q.Diffuse(scratch.keep, scratch.added, scratch.matrix);
  }

 private:
  static constexpr double kLeastKept = 1e-24;  // as good as nothing, and positive

  FactorsByIntercept factors_;
};

}  // namespace prequel
