// Moments of the logits.
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

// logit_mean        [C], in the units that the model learns in
// logit_covariance  [C, C]
struct Logits {
  static constexpr std::string_view kName = "logits";
  static constexpr bool kByDefault = false;
  static constexpr bool kWantsEntropy = false;

  static bool IsOf(const Asked& /*asked*/) { return true; }
  static absl::Status Configure(Options& options) {
    options.Describe("logit_mean [rows, C], logit_covariance [rows, C, C]");
    return options.Finish();
  }
  std::vector<Output> Outputs(const Asked& asked) const;
  void Fill(Predictive& predictive, Index first, std::span<Output> out) const;
};

}  // namespace prequel
