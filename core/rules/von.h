// VON, variational online Newton (Khan et al. 2018), with the generalised Gauss-Newton curvature:
//   Λ' = (1−β) Λ + β [(N/B) H + Λ₀],   m' = m − β Λ'⁻¹ [(N/B) G + Λ₀ (m − m₀)]
// (core/rules/newton_step.h). On a linear-gaussian model one step with β = 1 is the exact
// posterior; in recursive mode its passes climb the local ELBO that rvga climbs.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/rules/newton_step.h"

namespace prequel {

struct Von : NewtonStep {
  static constexpr std::string_view kName = "von";
  static constexpr std::string_view kHolds = "keeps a covariance or one precision per weight";
  static constexpr std::string_view kRemedy = "use a smaller beta";

  absl::Status Configure(Options& options) {
    options.Describe("variational online Newton");
    NewtonStep::Configure(options);
    return options.Finish();
  }
};

}  // namespace prequel
