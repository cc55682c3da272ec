#include "core/models/prior.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/random/lanes.h"

namespace prequel {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double kWidest = 1e10;  // a wider prior leaves no digits for what is learned

// Parameters are one number per weight as the configuration may carry it: under which names and how
// large.
struct Parameters {
  std::string_view whole;            // all D in one list
  std::string_view weights, biases;  // behind "layerL.", of one layer
  double low, high;                  // of each number
  std::string_view help;
};

constexpr Parameters kMeans = {"weights", "weights",
                               "bias",    -1e300,
                               1e300,     "the prior mean: of all weights, or layer by layer"};
// 1/v is a number too.
constexpr Parameters kVariances = {"variances",
                                   "weights_variances",
                                   "bias_variances",
                                   1e-300,
                                   kWidest,
                                   "the prior variances, in place of precisions: of all weights, "
                                   "or layer by layer"};

std::string OfLayer(std::size_t l, std::string_view name) {
  return absl::StrCat("layer", l + 1, ".", std::string(name));
}

bool Given(const Options& options, const Layers& layers, const Parameters& parameters) {
  bool given = options.Has(parameters.whole);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    given = given || options.Has(OfLayer(l, parameters.weights)) ||
            options.Has(OfLayer(l, parameters.biases));
  }
  return given;
}

// PlaceWeights copies outputs · inputs numbers by rows to where the layer's weights lie.
void PlaceWeights(const DenseLayer& layer, const double* numbers, Vector& out) {
  Eigen::Map<Matrix>(out.data() + layer.offset, layer.outputs, layer.inputs) =
      Eigen::Map<const RowMajor>(numbers, layer.outputs, layer.inputs);
}

void PlaceBiases(const DenseLayer& layer, const double* numbers, Vector& out) {
  out.segment(layer.bias_offset(), layer.outputs) =
      Eigen::Map<const Vector>(numbers, layer.outputs);
}

void ReadWhole(Options& options, const Layers& layers, const Parameters& parameters, Vector& out) {
  const std::vector<double>* all =
      options.Help(parameters.help)
          .List(parameters.whole, NumParams(layers), parameters.low, parameters.high);
  if (all == nullptr) return;
  out.resize(NumParams(layers));
  const double* next = all->data();
  for (const DenseLayer& layer : layers) {
    PlaceWeights(layer, next, out);
    next += layer.outputs * layer.inputs;
    if (layer.has_bias) PlaceBiases(layer, next, out);
    next += layer.has_bias ? layer.outputs : 0;
  }
}

void ReadLayers(Options& options, const Layers& layers, const Parameters& parameters, Vector& out) {
  Vector read(NumParams(layers));
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const DenseLayer& layer = layers[l];
    const std::string weights = OfLayer(l, parameters.weights);
    const std::string biases = OfLayer(l, parameters.biases);
    const std::vector<double>* table =
        options.Help(parameters.help)
            .Table(weights, layer.outputs, layer.inputs, parameters.low, parameters.high);
    if (table == nullptr) {
      return options.Fail(weights, absl::StrCat("is missing: the layer has ", layer.outputs, " × ",
                                                layer.inputs, " weights"));
    }
    PlaceWeights(layer, table->data(), read);
    if (!layer.has_bias) continue;
    const std::vector<double>* list =
        options.Help(parameters.help).List(biases, layer.outputs, parameters.low, parameters.high);
    if (list == nullptr) {
      return options.Fail(biases,
                          absl::StrCat("is missing: the layer has ", layer.outputs, " biases"));
    }
    PlaceBiases(layer, list->data(), read);
  }
  out = std::move(read);
}

// Read takes the parameters in one of two forms: whole, or layer by layer.
void Read(Options& options, const Layers& layers, const Parameters& parameters, Vector& out) {
  if (!options.Has(parameters.whole)) return ReadLayers(options, layers, parameters, out);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    for (const std::string_view name : {parameters.weights, parameters.biases}) {
      const std::string of_layer = OfLayer(l, name);
      if (!options.Has(of_layer)) continue;
      options.Fail(of_layer, absl::StrCat("is among ", std::string(parameters.whole),
                                          " as well: leave one out"));
    }
  }
  ReadWhole(options, layers, parameters, out);
}

}  // namespace

void PriorPrecision::Configure(Options& options, const WeighedModel& model) {
  constexpr double kLeast = 1 / kWidest, kMost = 1e300;
  options.Help("1 / variance of a weight").Real("precision", &precision, kLeast, kMost);
  bias_precision = precision;
  options.Help("1 / variance of a bias; as precision unless given")
      .Real("bias_precision", &bias_precision, kLeast, kMost);
  options
      .Help(
          "fan_in divides the variances of a layer by its inputs; both: beliefs of either, by "
          "default where a network holds several")
      .Choice("layer_scale", &layer_scale, {"none", "fan_in", "both"});
  options
      .Help(
          "learned: of linear models whose noise is learned, with posterior full, by what the "
          "weights have become; by default where no precision is given")
      .Choice("scale", &scale, {"given", "learned"});
  if (scale == "learned" && !model.may_learn_scale) {
    options.Fail(
        "scale",
        "is learned of linear models whose noise is learned, with posterior full and not of "
        "a data set: use given");
  }
}

Vector PriorPrecision::Variances(const Layers& layers, Index which) const {
  const bool by_fan_in = layer_scale == "fan_in" || (layer_scale == "both" && which == 0);
  Vector variances(NumParams(layers));
  for (const DenseLayer& layer : layers) {
    const double fan_in = by_fan_in ? static_cast<double>(std::max<Index>(1, layer.inputs)) : 1;
    variances.segment(layer.offset, layer.size()).setConstant(1 / bias_precision);
    variances.segment(layer.offset, layer.inputs * layer.outputs)
        .setConstant(1 / (precision * fan_in));
  }
  return variances;
}

absl::Status IsotropicPrior::Configure(Options& options, const WeighedModel& model) {
  options.Describe("weights around the initial ones, which are 0 in a linear model");
  if (model.layers.size() > 1) precision.layer_scale = model.several ? "both" : "fan_in";
  if (model.may_learn_scale && !options.Has("precision")) precision.scale = "learned";
  precision.Configure(options, model);
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

absl::Status ImportedPrior::Configure(Options& options, const WeighedModel& model) {
  options.Describe("weights around those of a network that was trained elsewhere");
  const Layers& layers = model.layers;
  if (!Given(options, layers, kMeans)) {
    options.Fail("weights", absl::StrCat("is needed: ", NumParams(layers),
                                         " numbers, layer by layer the weights of one output "
                                         "after the other, then the biases; or give layer1.weights,"
                                         " layer1.bias, …"));
  }
  Read(options, layers, kMeans, mean);
  if (!Given(options, layers, kVariances)) {
    precision.Configure(options, model);
    return options.Finish();
  }
  for (const char* name : {"precision", "bias_precision", "layer_scale", "scale"}) {
    if (options.Has(name)) options.Fail(name, "says nothing beside variances: leave one out");
  }
  Read(options, layers, kVariances, variances);
  return options.Finish();
}

}  // namespace prequel
