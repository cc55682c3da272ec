// y ∈ {0, 1}, P(y = 1) = σ(f), f ~ N(f̂, v):
//   E log p = E[y f − log(1 + e^f)],  E r = y − E σ(f),  G² = E[σ(f)(1 − σ(f))]
// by quadrature (core/distributions/sigmoid_normal.h), or at f̂ when v is 0.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "core/config/learner_config.h"
#include "core/config/options.h"
#include "core/distributions/class_predictive.h"
#include "core/likelihoods/likelihood_defaults.h"
#include "core/likelihoods/logit_moments.h"

namespace prequel {

class Bernoulli : public LikelihoodDefaults {
 public:
  static constexpr std::string_view kName = "bernoulli";
  static constexpr bool kClasses = true;
  static constexpr Link kLink = Link::kLogistic;

  static void CompleteTarget(TargetConfig& target);
  absl::Status Configure(Options& options, const TargetConfig& target);

  Index num_logits() const { return 1; }
  Index num_targets() const { return 1; }
  Index num_classes() const { return 2; }
  Index curvature_rank() const { return 1; }

  std::string_view TargetProblem(double y) const;

  void Expand(const LogitMoments& moments, ConstMatrixRef targets, const NoiseLevel& noise,
              LocalExpansion& expansion) const;

  // Probabilities has class 0 in row 0. Allocates nothing once sized.
  void Probabilities(const LogitMoments& moments, ClassPredictive& predictive) const;
};

}  // namespace prequel
