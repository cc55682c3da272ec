// y_c ~ negative binomial of mean e^{f_c} and dispersion α, independently per output c: counts
// whose variance is λ + α λ². With r = 1/α, z = f − log r and f ~ N(f̂, Σ):
//   E log p = Σ_c [y_c E log σ(z_c) + r E log σ(−z_c) + log Γ(y_c + r)/(Γ(r) y_c!)]
//   E r = y − (y + r) E σ(z),  G = diag((y + r) E σ(z) σ(−z))^{1/2}, the observed curvature
// Expectations by the quadrature of distributions/sigmoid_normal.h.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "core/config/learner_config.h"
#include "core/config/options.h"
#include "core/distributions/negative_binomial_mixture.h"
#include "core/likelihoods/count_likelihood.h"
#include "core/likelihoods/moments.h"

namespace prequel {

// Options:
//   dispersion  α, in [0.001, 10]; 1 unless given. Towards 0 it becomes `poisson`.
class NegativeBinomial : public CountLikelihood {
 public:
  static constexpr std::string_view kName = "negative_binomial";

  absl::Status Configure(Options& options, const TargetConfig& target);

  void Expand(const LogitMoments& moments, ConstMatrixRef targets, const NoiseLevel& noise,
              LocalExpansion& expansion) const;

  NegativeBinomialMixture Marginal(const LogitMoments& moments, const NoiseLevel& noise,
                                   Index output, Index example) const;

 private:
  NegativeBinomialKernel kernel_;
  double shape_ = 1;  // r
};

}  // namespace prequel
