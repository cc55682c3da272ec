// The prior over the weights: independent Gaussians around the model's initial weights.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "core/models/model.h"
#include "core/options.h"

namespace prequel {

// θ ~ N(m₀, diag(v)): m₀ = Initialize of the model; v = 1/precision for weights (divided by the
// layer's fan-in when layer_scale is "fan_in") and 1/bias_precision for biases.
struct IsotropicPrior {
  static constexpr std::string_view kName = "isotropic";

  double precision = 1;
  double bias_precision = 1;
  std::string layer_scale = "none";

  absl::Status Configure(Options& options);

  Vector Mean(const Model& model, std::uint64_t seed) const;
  Vector Variances(const Model& model) const;
};

using Prior = std::variant<IsotropicPrior>;

}  // namespace prequel
