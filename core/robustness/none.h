// Every row counts whole, however far it is from what was predicted.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/robustness/surprise.h"

namespace prequel {

struct NoRobustness {
  static constexpr std::string_view kName = "none";
  static constexpr bool kWeighs = false;

  static absl::Status Configure(Options& options) {
    options.Describe("every row counts whole");
    return options.Finish();
  }
  static double threshold() { return 1; }
  static double Weight(const Surprise& /*surprise*/) { return 1; }
  static double NoiseWeight(const Surprise& /*surprise*/) { return 1; }
};

}  // namespace prequel
