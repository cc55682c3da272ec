#include "core/prior.h"

#include <variant>

#include "core/random/lanes.h"

namespace prequel {

absl::Status IsotropicPrior::Configure(Options& options) {
  options.Positive("precision", &precision);
  bias_precision = precision;
  options.Positive("bias_precision", &bias_precision);
  options.Choice("layer_scale", &layer_scale, {"none", "fan_in"});
  return options.Finish();
}

Vector IsotropicPrior::Mean(const Model& model, std::uint64_t seed) const {
  return std::visit(
      [&](const auto& m) {
        Vector mean(m.num_params());
        m.Initialize(Stream{seed, 0, kInitialWeightsLane}, mean);
        return mean;
      },
      model);
}

Vector IsotropicPrior::Variances(const Model& model) const {
  return std::visit(
      [&](const auto& m) {
        Vector variances(m.num_params());
        for (Index l = 0; l < m.num_layers(); ++l) {
          const DenseLayer layer = m.layer(l);
          const double fan_in =
              layer_scale == "fan_in" ? static_cast<double>(std::max<Index>(1, layer.inputs)) : 1;
          variances.segment(layer.offset, layer.size()).setConstant(1 / bias_precision);
          variances.segment(layer.offset, layer.inputs * layer.outputs)
              .setConstant(1 / (precision * fan_in));
        }
        return variances;
      },
      model);
}

}  // namespace prequel
