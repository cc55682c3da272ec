#include "core/models/weight_map.h"

#include <cstddef>

namespace prequel {
namespace {

using Columns = Eigen::Map<Matrix>;

Columns WeightsOf(const DenseLayer& layer, VectorRef theta) {
  return {theta.data() + layer.offset, layer.outputs, layer.inputs};
}

Eigen::Map<Vector> BiasesOf(const DenseLayer& layer, VectorRef theta) {
  return {theta.data() + layer.bias_offset(), layer.has_bias ? layer.outputs : 0};
}

// ForEachInput calls visit(slope, offset, column of weights, that of the indicator or −1) of each
// input.
template <class Visit>
void ForEachInput(const InputsChange& inputs, const Visit& visit) {
  for (Index j = 0; j < inputs.slope.size(); ++j) {
    visit(inputs.slope[j], inputs.offset[j], j, inputs.indicator[static_cast<std::size_t>(j)]);
  }
}

}  // namespace

WeightMap WeightMap::OfLayer(const Layers& layers, std::size_t l, const InputsChange& inputs,
                             const OutputsChange& outputs) {
  DenseLayer layer = layers[l];
  layer.offset = 0;
  return WeightMap(layer, l == 0 ? &inputs : nullptr, layer,
                   l + 1 == layers.size() ? &outputs : nullptr, 0);
}

WeightMap WeightMap::OfUnit(const Layers& layers, std::size_t l, Index j,
                            const InputsChange& inputs, const OutputsChange& outputs) {
  WeightMap map = OfLayer(layers, l, inputs, outputs);
  map.first_.outputs = map.last_.outputs = 1;
  map.output_ = j;
  return map;
}

WeightMap WeightMap::OfInputs(const Layers& layers, const InputsChange& inputs) {
  DenseLayer unit = layers.front();
  unit.offset = 0;
  unit.outputs = 1;
  return WeightMap(unit, &inputs, unit, nullptr, 0);
}

void WeightMap::TurnInputs(VectorRef theta) const {
  Columns weights = WeightsOf(first_, theta);
  Eigen::Map<Vector> biases = BiasesOf(first_, theta);
  ForEachInput(*inputs_, [&](double slope, double offset, Index j, Index indicator) {
    if (first_.has_bias) biases += offset * weights.col(j);
    if (indicator >= 0) weights.col(indicator) -= offset * weights.col(j);
    weights.col(j) *= slope;
  });
}

template <class Factor>
void WeightMap::ScaleOutputs(const Factor& factor, VectorRef theta) const {
  Columns weights = WeightsOf(last_, theta);
  Eigen::Map<Vector> biases = BiasesOf(last_, theta);
  for (Index o = 0; o < last_.outputs; ++o) {
    weights.row(o) *= factor(output_ + o);
    if (last_.has_bias) biases[o] *= factor(output_ + o);
  }
}

void WeightMap::Apply(VectorRef theta) const {
  if (inputs_ != nullptr) TurnInputs(theta);
  if (outputs_ == nullptr) return;
  ScaleOutputs([&](Index o) { return outputs_->gain[o]; }, theta);
  if (last_.has_bias) BiasesOf(last_, theta) += outputs_->shift.segment(output_, last_.outputs);
}

void WeightMap::Turn(VectorRef theta) const {
  if (inputs_ != nullptr) TurnInputs(theta);
  if (outputs_ != nullptr) ScaleOutputs([&](Index o) { return outputs_->spread[o]; }, theta);
}

void WeightMap::TurnBack(VectorRef theta) const {
  if (outputs_ != nullptr) ScaleOutputs([&](Index o) { return 1 / outputs_->spread[o]; }, theta);
  if (inputs_ == nullptr) return;
  Columns weights = WeightsOf(first_, theta);
  Eigen::Map<Vector> biases = BiasesOf(first_, theta);
  ForEachInput(*inputs_, [&](double slope, double offset, Index j, Index indicator) {
    weights.col(j) /= slope;
    if (first_.has_bias) biases -= offset * weights.col(j);
    if (indicator >= 0) weights.col(indicator) += offset * weights.col(j);
  });
}

// TurnBackTransposed is the transpose of TurnBack, whose steps are linear: they are taken in the
// opposite order.
void WeightMap::TurnBackTransposed(VectorRef theta) const {
  if (inputs_ != nullptr) {
    Columns weights = WeightsOf(first_, theta);
    Eigen::Map<Vector> biases = BiasesOf(first_, theta);
    ForEachInput(*inputs_, [&](double slope, double offset, Index j, Index indicator) {
      if (first_.has_bias) weights.col(j) -= offset * biases;
      if (indicator >= 0) weights.col(j) += offset * weights.col(indicator);
      weights.col(j) /= slope;
    });
  }
  if (outputs_ != nullptr) ScaleOutputs([&](Index o) { return 1 / outputs_->spread[o]; }, theta);
}

void WeightMap::ClearIntercepts(VectorRef theta) const {
  if (outputs_ != nullptr) BiasesOf(last_, theta).setZero();
}

void WeightMap::TurnBackPrecision(VectorRef lambda) const {
  if (inputs_ != nullptr) {
    Columns weights = WeightsOf(first_, lambda);
    Eigen::Map<Vector> biases = BiasesOf(first_, lambda);
    ForEachInput(*inputs_, [&](double slope, double offset, Index j, Index indicator) {
      if (first_.has_bias) weights.col(j) += offset * offset * biases;
      if (indicator >= 0) weights.col(j) += offset * offset * weights.col(indicator);
      weights.col(j) /= slope * slope;
    });
  }
  if (outputs_ == nullptr) return;
  ScaleOutputs([&](Index o) { return 1 / (outputs_->spread[o] * outputs_->spread[o]); }, lambda);
}

}  // namespace prequel
