// OGN, online Gauss-Newton: VOGN (core/rules/vogn.h) with its derivatives at θ = m instead of at
// draws, so that m goes to the mode and Λ to Laplace's precision there.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/rules/vogn.h"

namespace prequel {

struct Ogn : Vogn {
  static constexpr std::string_view kName = "ogn";

  absl::Status Configure(Options& options) {
    options.Describe("online Gauss-Newton, at the mean");
    samples = 0;
    ConfigureStep(options);
    return options.Finish();
  }
};

}  // namespace prequel
