// iBLR, the improved Bayesian learning rule (Lin, Schmidt and Khan 2020):
//   E = (N/B) H + Λ₀ − Λ,   Λ' = Λ + β E + ½ β² E Λ⁻¹ E,   m' = m − β Λ'⁻¹ [(N/B) G + Λ₀ (m − m₀)]
// (core/rules/newton_step.h). Λ' ≥ ½ Λ whatever H is, so that H may be an estimate of the Hessian
// itself (curvature: reparameterized), which is of either sign and asks for gradients alone.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/rules/newton_step.h"

namespace prequel {

struct Iblr : NewtonStep {
  static constexpr std::string_view kName = "iblr";
  static constexpr std::string_view kHolds = "keeps a covariance or one precision per weight";
  static constexpr std::string_view kRemedy = "use a smaller beta or more samples";

  absl::Status Configure(Options& options) {
    options.Describe("the improved Bayesian learning rule: precisions stay positive");
    improved = true;
    std::string name = "ggn";
    options.Help("generalised Gauss-Newton, or by draws alone")
        .Choice("curvature", &name, {"ggn", "reparameterized"});
    if (name == "reparameterized") {
      curvature = Curvature::kReparameterized;
      averaging.over = Averaging::Over::kMonteCarlo;
    }
    NewtonStep::Configure(options);
    if (name == "reparameterized" && averaging.over != Averaging::Over::kMonteCarlo) {
      options.Fail("expectation",
                   "must be \"monte_carlo\" with curvature \"reparameterized\", which is an "
                   "average over draws; or set curvature to \"ggn\"");
    }
    return options.Finish();
  }
};

}  // namespace prequel
