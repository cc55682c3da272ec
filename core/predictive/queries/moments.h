// Mean and variance of values and counts.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/predictive/answer.h"
#include "core/predictive/predictive.h"
#include "core/predictive/queries/asked.h"

namespace prequel {

// mean                [T]
// epistemic_variance  [T], of the mean, from not knowing the weights
// aleatoric_variance  [T], of the noise: the two add up to the variance
struct Moments {
  static constexpr std::string_view kName = "moments";
  static constexpr bool kByDefault = true;
  static constexpr bool kWantsEntropy = false;

  static bool IsOf(const Asked& asked) { return !asked.classes; }
  static absl::Status Configure(Options& options) {
    options.Describe("mean, epistemic_variance, aleatoric_variance: [rows, T]");
    return options.Finish();
  }
  std::vector<Output> Outputs(const Asked& asked) const;
  void Fill(Predictive& predictive, Index first, std::span<Output> out) const;
};

}  // namespace prequel
