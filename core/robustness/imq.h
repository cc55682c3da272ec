// The inverse multiquadric (Duran-Martin, Altamirano, Shestopaloff, Sánchez-Betancourt, Knoblauch,
// Jones, Briol and Murphy 2024, "Outlier-robust Kalman filtering through generalised Bayes"):
//   w² = 1/(1 + r² R⁻¹/c²)
// so that the noise of the row, R/w² = R + r²/c², is at least a c-th of its own residual: the pull
// of a row on the weights, w² R⁻¹ r, is at most c/(2√R), and falls as c²/r beyond.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/robustness/surprise.h"

namespace prequel {

// Options:
//   threshold  c in [1, 1e12] deviations of the noise, where a row counts half; 4 unless given
class InverseMultiquadric {
 public:
  static constexpr std::string_view kName = "imq";
  static constexpr bool kWeighs = true;

  absl::Status Configure(Options& options) {
    options.Describe("a row counts the less the further it is from what was predicted");
    options.Help("deviations of the noise at which a row counts half")
        .Real("threshold", &threshold_, kLeastThreshold, kMostThreshold);
    return options.Finish();
  }

  double threshold() const { return threshold_; }
  double Weight(const Surprise& surprise) const { return Share(surprise.by_noise); }
  // NoiseWeight is w⁴: with w² a residual far out would count for c² R still, and where such are
  // more than one in c², learned noise that counts them would have no end.
  double NoiseWeight(const Surprise& surprise) const {
    const double share = Share(surprise.by_prediction);
    return share * share;
  }

 private:
  double Share(double square) const { return 1 / (1 + square / (threshold_ * threshold_)); }

  double threshold_ = 4;
};

}  // namespace prequel
