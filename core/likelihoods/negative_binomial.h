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
#include "core/likelihoods/logit_moments.h"

namespace prequel {

// Options:
//   dispersion  α in [0.001, 10], or "learned" (default), of each output. Towards 0 it becomes
//               `poisson`. Learned, it begins at 1, give or take a factor e.
class NegativeBinomial : public CountLikelihood {
 public:
  static constexpr std::string_view kName = "negative_binomial";

  absl::Status Configure(Options& options, const TargetConfig& target);

  NoiseModel noise() const { return noise_; }
  // LearnNoise takes one step of natural gradient on the ELBO as a function of a = log α, for
  // log α ~ N(a, 1/shape), with q the belief after the minibatch and f ~ N(f̂, v) under q:
  //   shape += Σ_i I_i,  a += Σ_i E_q ∂/∂a log p(y_i | f, a)/shape
  //   ∂/∂a log p = r [ψ(r) − ψ(y + r) − log σ(−z)] + (y + r) σ(−z) − r
  // The expectation over q is what tells dispersion from ignorance of f: at a gaussian's q it would
  // make E (y − f)² = (y − f̂)² + v, which is unbiased: fitting y has made (y − f̂)² too small by
  // v. For a row whose f nothing else tells, q is as wide as α says counts scatter, so that it
  // pulls α nowhere. I is the information of a count about a, to a factor below two,
  //   I = ½ (αλ)²/((1 + αλ)(1 + αλ + α)),  λ = e^{f̂}
  // which sets the length of the steps and not where they lead; what was learned before counts by
  // the information it would have at the new α. |Δa| ≤ 1, and α stays in its range.
  // In dataset mode the state first forgets so that it will stand for at most N.
  absl::Status LearnNoise(const NoiseEvidence& evidence, NoiseState& noise) const;

  void Expand(const LogitMoments& moments, ConstMatrixRef targets, const NoiseLevel& noise,
              LocalExpansion& expansion) const;

  NegativeBinomialMixture Marginal(const LogitMoments& moments, const NoiseLevel& noise,
                                   Index output, Index example) const;

 private:
  double Dispersion(const NoiseLevel& noise, Index output) const;

  NoiseModel noise_{NoiseModel::Kind::kLearnedDispersion, 0, 1, 1};
};

}  // namespace prequel
