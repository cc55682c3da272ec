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

// What a prior may know of a model.
struct WeighedModel {
  const Layers& layers;
  bool several = false;  // beliefs may differ in their prior when nobody asks for it
  // may_learn_scale: whether the prior's scale can be learned
  // (core/learner/carrying/prior_scales.h).
  bool may_learn_scale = false;
};

// PriorPrecision gives v = 1/precision for weights (divided by the layer's fan-in when layer_scale
// is "fan_in") and 1/bias_precision for biases. Where layer_scale is "both" there are two scales,
// and beliefs differ in theirs: 0 is "fan_in", 1 is "none". Where `scale` is "learned", v is a
// beginning (core/learner/carrying/prior_scales.h).
struct PriorPrecision {
  double precision = 1;
  double bias_precision = 1;
  std::string layer_scale = "none";
  std::string scale = "given";

  void Configure(Options& options, const WeighedModel& model);

  Index scales() const { return layer_scale == "both" ? 2 : 1; }
  Vector Variances(const Layers& layers, Index which) const;  // D
};

// IsotropicPrior is θ ~ N(m₀, diag(v)), m₀ = Initialize of the model. Unless given, layer_scale is
// "both" where there are hidden layers and several beliefs, else "fan_in" where there are hidden
// layers: so the variance of a unit does not grow with the units that feed it. The scale is learned
// where it can be, unless a precision is given.
struct IsotropicPrior {
  static constexpr std::string_view kName = "isotropic";

  PriorPrecision precision;

  absl::Status Configure(Options& options, const WeighedModel& model);

  Index scales() const { return precision.scales(); }
  bool learns_scale() const { return precision.scale == "learned"; }
  Vector Mean(const Model& model, std::uint64_t seed) const;
  Vector Variances(const Layers& layers, Index scale) const {
    return precision.Variances(layers, scale);
  }
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

  absl::Status Configure(Options& options, const WeighedModel& model);

  Index scales() const { return precision.scales(); }
  bool learns_scale() const { return precision.scale == "learned"; }
  Vector Mean(const Model& /*model*/, std::uint64_t /*seed*/) const { return mean; }
  Vector Variances(const Layers& layers, Index scale) const {
    return variances.size() > 0 ? variances : precision.Variances(layers, scale);
  }
};

using Prior = std::variant<IsotropicPrior, ImportedPrior>;

}  // namespace prequel
