// What new units of inputs and outputs make of weights: θ' = T θ + c says of rows in the new units
// what θ says of them in the old ones.
//   inputs   z = slope ∘ z' + offset
//              first layer   w'_j = slope_j w_j,   b' = b + Σ_j offset_j w_j
//            and v'_j = v_j − offset_j w_j of the weights of an indicator that z_j is missing,
//            since then z_j is 0 in either units
//   outputs  f' = gain ∘ f + shift
//              last layer    W' = diag(gain) W,   b' = gain ∘ b + shift
// Exact, save that without a bias nothing takes in an offset or a shift.
#pragma once

#include <vector>

#include "core/linalg/types.h"
#include "core/models/layer.h"

namespace prequel {

// InputsChange is of the first columns that a model sees, one for each slope.
struct InputsChange {
  Vector slope, offset;
  std::vector<Index> indicator;  // the column that says that it is missing; −1: there is none
};

struct OutputsChange {
  Vector gain, shift;
  Vector spread;  // what covariances are scaled by: the gain, or 1 where the noise is their unit
};

// WeightMap is a view: both changes must outlive it.
class WeightMap {
 public:
  // OfAll maps all weights.
  static WeightMap OfAll(const Layers& layers, const InputsChange& inputs,
                         const OutputsChange& outputs) {
    return WeightMap(layers.front(), &inputs, layers.back(), &outputs, 0);
  }
  // OfLayer maps those of layer `l` by itself, which begin at 0.
  static WeightMap OfLayer(const Layers& layers, std::size_t l, const InputsChange& inputs,
                           const OutputsChange& outputs);
  // OfUnit maps those into unit `j` of layer `l`, its bias last.
  static WeightMap OfUnit(const Layers& layers, std::size_t l, Index j, const InputsChange& inputs,
                          const OutputsChange& outputs);

  // OfInputs maps those into any unit of the first layer, its bias last, by the change of inputs
  // alone.
  static WeightMap OfInputs(const Layers& layers, const InputsChange& inputs);

  // IsIdentity: whether the map leaves these weights as they are.
  bool IsIdentity() const { return inputs_ == nullptr && outputs_ == nullptr; }

  void Apply(VectorRef theta) const;  // T θ + c
  // Turn and its inverses map deviations, in the units of covariances.
  void Turn(VectorRef theta) const;                // T θ
  void TurnBack(VectorRef theta) const;            // T⁻¹ θ
  void TurnBackTransposed(VectorRef theta) const;  // T⁻ᵀ θ
  // ClearIntercepts sets the intercepts of the outputs to 0, if they are among these weights.
  void ClearIntercepts(VectorRef theta) const;
  // TurnBackPrecision writes diag(T⁻ᵀ diag(λ) T⁻¹) in the place of λ.
  void TurnBackPrecision(VectorRef lambda) const;

 private:
  WeightMap(const DenseLayer& first, const InputsChange* inputs, const DenseLayer& last,
            const OutputsChange* outputs, Index output)
      : first_(first), last_(last), inputs_(inputs), outputs_(outputs), output_(output) {}

  void TurnInputs(VectorRef theta) const;
  // ScaleOutputs multiplies what is of output o by factor(o).
  template <class Factor>
  void ScaleOutputs(const Factor& factor, VectorRef theta) const;

  DenseLayer first_, last_;
  const InputsChange* inputs_;    // null: these weights meet no input
  const OutputsChange* outputs_;  // null: nor make an output
  Index output_;                  // which the first of theirs is
};

}  // namespace prequel
