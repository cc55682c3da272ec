// y_c ~ Poisson(e^{f_c}), independently per output c, with f ~ N(f̂, Σ), v_c = Σ_cc:
//   λ_c     = E e^{f_c} = e^{f̂_c + v_c/2}
//   E log p = Σ_c [y_c f̂_c − λ_c − log y_c!],  E r = y − λ,  G = diag(λ_c^{1/2})
// Beyond u = log 2 (M + 1), M the largest count so far (CountLikelihood::Bound), the exponential
// goes on as its tangent, e^u (1 + d) with d = f̂_c + v_c/2 − u, as Huber's loss goes on as a line:
// the score stays at y − e^u, and the curvature is the secant's, e^u/(1 + d), by which one step
// leads back. So a row with a vast log rate has bounded influence.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "core/config/learner_config.h"
#include "core/config/options.h"
#include "core/distributions/poisson_mixture.h"
#include "core/likelihoods/count_likelihood.h"
#include "core/likelihoods/logit_moments.h"

namespace prequel {

class Poisson : public CountLikelihood {
 public:
  static constexpr std::string_view kName = "poisson";

  absl::Status Configure(Options& options, const TargetConfig& target);

  void Expand(const LogitMoments& moments, ConstMatrixRef targets, const NoiseLevel& noise,
              LocalExpansion& expansion) const;

  PoissonMixture Marginal(const LogitMoments& moments, const NoiseLevel& noise, Index output,
                          Index example) const;
};

}  // namespace prequel
