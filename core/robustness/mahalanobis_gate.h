// A row that is further than c deviations from what was predicted is not learned:
//   w² = 1 where r² S⁻¹ ≤ c², else 0
// S counts what is not known of the weights as well, or nothing would be learned at first. A model
// that is sure and wrong stays so, unless its dynamics make it less sure.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/robustness/surprise.h"

namespace prequel {

// Options:
//   threshold  c in [1, 1e12] deviations of the prediction; 4 unless given
class MahalanobisGate {
 public:
  static constexpr std::string_view kName = "mahalanobis_gate";
  static constexpr bool kWeighs = true;

  absl::Status Configure(Options& options) {
    options.Describe("a row that is too far from what was predicted is not learned");
    options.Help("deviations of the prediction beyond which a row is not learned")
        .Real("threshold", &threshold_, kLeastThreshold, kMostThreshold);
    return options.Finish();
  }

  double threshold() const { return threshold_; }
  double Weight(const Surprise& surprise) const {
    return surprise.by_prediction <= threshold_ * threshold_ ? 1 : 0;
  }
  double NoiseWeight(const Surprise& surprise) const { return Weight(surprise); }

 private:
  double threshold_ = 4;
};

}  // namespace prequel
