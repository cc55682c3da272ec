// Exact Bayesian linear regression: Λ = Λ₀ + XᵀR⁻¹X, m = m₀ + Λ⁻¹XᵀR⁻¹(y − X m₀).
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "core/expansion/expansion.h"
#include "core/posteriors/posterior.h"
#include "core/random/philox.h"
#include "core/rules/explicit_step.h"
#include "core/rules/rule_defaults.h"
#include "core/rules/rule_scratch.h"
#include "core/rules/step_report.h"

namespace prequel {

// Conjugate keeps a Gaussian posterior with given noise R. With learned noise it is
// normal-inverse-gamma: the stored covariance is P̃, the covariance in units of the noise variance
// (P = σ² P̃), the curvature is XᵀX, and the predictive is Student-t with 2α degrees of freedom.
// Only for the linear model with gaussian likelihood and a full posterior.
struct Conjugate : FittingRule {
  static constexpr std::string_view kName = "conjugate";
  static constexpr std::string_view kHolds = "keeps the full covariance";

  static absl::Status Configure(Options& options) {
    options.Describe("the exact posterior, for linear models with gaussian noise",
                     "one pass over the minibatch");
    return options.Finish();
  }
  static absl::Status CheckFor(const Setting& setting, const FullGaussian& /*prototype*/);
  static bool InNoiseUnits(const Setting& setting, const FullGaussian& /*prototype*/) {
    return setting.learns_noise;
  }

  // Fits `local`, which stands at its prior with `expansion` linearised and projected there.
  absl::Status Fit(Expansion& expansion, LocalFull& local, const Stream& /*stream*/,
                   RuleScratch& /*scratch*/, StepReport& report, FullGaussian& next) const {
    return ExplicitStep(Expectation::kAtMean, expansion, local, report, next);
  }
};

}  // namespace prequel
