// Quantiles of values and counts.
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

// quantiles  [T, levels]: the least y with P(Y ≤ y) ≥ level
// Options:
//   levels  increasing, in (0, 1), at most 99; 0.05, 0.25, 0.5, 0.75, 0.95 unless given
struct Quantiles {
  static constexpr std::string_view kName = "quantiles";
  static constexpr bool kByDefault = true;
  static constexpr bool kWantsEntropy = false;

  static bool IsOf(const Asked& asked) { return !asked.classes; }

  std::vector<double> levels = {0.05, 0.25, 0.5, 0.75, 0.95};

  absl::Status Configure(Options& options);
  std::vector<Output> Outputs(const Asked& asked) const;
  void Fill(Predictive& predictive, Index first, std::span<Output> out) const;
};

}  // namespace prequel
