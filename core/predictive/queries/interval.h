// Central intervals of values and counts.
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

// lower, upper  [T, levels]: the quantiles (1 − c)/2 and (1 + c)/2 of each level c, between which y
//               lies with probability c; of counts, at least c
// Options:
//   levels  increasing, in (0, 1), at most 49; 0.5, 0.9 unless given
struct Interval {
  static constexpr std::string_view kName = "interval";
  static constexpr bool kByDefault = false;
  static constexpr bool kWantsEntropy = false;

  static bool IsOf(const Asked& asked) { return !asked.classes; }

  std::vector<double> levels = {0.5, 0.9};

  absl::Status Configure(Options& options);
  std::vector<Output> Outputs(const Asked& asked) const;
  void Fill(Predictive& predictive, Index first, std::span<Output> out) const;
};

}  // namespace prequel
