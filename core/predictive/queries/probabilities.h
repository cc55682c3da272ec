// Probabilities of classes.
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

// probabilities  [classes], which sum to 1
struct Probabilities {
  static constexpr std::string_view kName = "probabilities";
  static constexpr bool kByDefault = true;
  static constexpr bool kWantsEntropy = false;

  static bool IsOf(const Asked& asked) { return asked.classes; }
  static absl::Status Configure(Options& options) {
    options.Describe("probabilities [rows, classes], with labels beside the outputs");
    return options.Finish();
  }
  std::vector<Output> Outputs(const Asked& asked) const;
  void Fill(Predictive& predictive, Index first, std::span<Output> out) const;
};

}  // namespace prequel
