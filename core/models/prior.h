// The prior over the weights: independent Gaussians around the model's initial weights, or around
// weights from elsewhere.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/models/model.h"

namespace prequel {

// v = 1/precision for weights (divided by the layer's fan-in when layer_scale is "fan_in") and
// 1/bias_precision for biases.
struct PriorPrecision {
  double precision = 1;
  double bias_precision = 1;
  std::string layer_scale = "none";

  void Configure(Options& options);

  Vector Variances(const Layers& layers) const;  // D
};

// θ ~ N(m₀, diag(v)), m₀ = Initialize of the model. layer_scale is "fan_in" unless given, where
// there are hidden layers: so the variance of a unit does not grow with the units that feed it.
struct IsotropicPrior {
  static constexpr std::string_view kName = "isotropic";

  PriorPrecision precision;

  absl::Status Configure(Options& options, const Layers& layers);

  Vector Mean(const Model& model, std::uint64_t seed) const;
  Vector Variances(const Layers& layers) const { return precision.Variances(layers); }
};

// θ ~ N(m₀, diag(v)) with m₀, and v too where that is known, from the configuration: a network
// trained elsewhere, to be learned on from.
//   weights        D numbers: layer by layer the weights of one output after the other, then the
//                  biases (the order of PyTorch's parameters_to_vector); or, layer by layer,
//   layerL.weights (outputs × inputs) and layerL.bias (outputs), L = 1, 2, …
//   variances      v in the same forms (layerL.weights_variances, layerL.bias_variances); without
//                  it PriorPrecision's options
struct ImportedPrior {
  static constexpr std::string_view kName = "imported";

  PriorPrecision precision;
  Vector mean;       // D
  Vector variances;  // D; empty: those of `precision`

  absl::Status Configure(Options& options, const Layers& layers);

  Vector Mean(const Model& /*model*/, std::uint64_t /*seed*/) const { return mean; }
  Vector Variances(const Layers& layers) const {
    return variances.size() > 0 ? variances : precision.Variances(layers);
  }
};

using Prior = std::variant<IsotropicPrior, ImportedPrior>;

}  // namespace prequel
