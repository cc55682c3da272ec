// y_c ~ N(f_c, R_c), independently per output c, with f ~ N(f̂, Σ), v_c = Σ_cc:
//   E log p = −½ Σ_c [log(2π R_c) + ((y_c − f̂_c)² + v_c)/R_c]
//   E r     = R⁻¹ (y − f̂),  W = R⁻¹,  G = diag(R_c^{−1/2})
// With R unknown, R_c ~ InverseGamma(shape, rate): the learner keeps the posterior and passes
// R_c = rate/shape and 2·shape degrees of freedom; the predictive is then Student-t.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "core/config/learner_config.h"
#include "core/config/options.h"
#include "core/distributions/student_t.h"
#include "core/likelihoods/likelihood_defaults.h"
#include "core/likelihoods/logit_moments.h"

namespace prequel {

// Options:
//   noise        variance R in squared target units, or "learned" (default)
//   noise_shape  prior shape of a learned R. The default 1.5 counts as three observations and gives
//                the first predictive 3 degrees of freedom, the fewest whole number of them with
//                a finite variance. With 1/2 or less it has no mean, and is refused.
//   noise_rate   prior rate of a learned R, in the squared units the model learns in. The default
//                0.15 centres R on rate/shape = 0.1: a tenth of a standardised target's variance.
class Gaussian : public LikelihoodDefaults {
 public:
  static constexpr std::string_view kName = "gaussian";
  static constexpr bool kClasses = false;
  static constexpr Link kLink = Link::kIdentity;
  static constexpr bool kHasUnits = true;
  static constexpr bool kWeighsRows = true;

  absl::Status Configure(Options& options, const TargetConfig& target);

  Index num_logits() const { return outputs_; }
  Index num_targets() const { return outputs_; }
  Index curvature_rank() const { return outputs_; }

  // A prior of learned noise says how large it is beside the deviation of the targets.
  bool standardizes() const { return noise_.learned(); }
  NoiseModel noise() const { return noise_; }
  // LearnNoise updates learned noise by a minibatch of B examples:
  //   shape += B/2,  rate += ½ rᵀ S⁻¹ r  with r = y − f_{m_{t−1}}, S = I + J P Jᵀ/σ²
  // On the linear model S⁻¹ r = y − f_{m_t}, which is how it is computed here (and never less than
  // |y − f_{m_t}|²). For rows with weights ω the sums are Σ ω/2 and ½ Σ ω r S⁻¹ r/κ, with κ the
  // evidence's weighed_square, so that σ² is right where all rows are as predicted. In dataset mode
  // the state first decays so that it will stand for at most N.
  absl::Status LearnNoise(const NoiseEvidence& evidence, NoiseState& noise) const;

  std::string_view TargetProblem(double y) const;

  void Expand(const LogitMoments& moments, ConstMatrixRef targets, const NoiseLevel& noise,
              LocalExpansion& expansion) const;

  // Marginal has scale² = v + R; or (v + 1) R where v is held in units of R.
  StudentT Marginal(const LogitMoments& moments, const NoiseLevel& noise, Index output,
                    Index example) const;

 private:
  void SumWeighed(const LogitMoments& moments, const NoiseLevel& noise, double log_noise,
                  LocalExpansion& expansion) const;

  Index outputs_ = 1;
  NoiseModel noise_{NoiseModel::Kind::kLearned, 0, 1.5, 0.15};
};

}  // namespace prequel
