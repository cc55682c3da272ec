// A posterior that is carried over to new units (core/models/weight_map.h): what rows have told of
// the weights is said of the new ones, θ' = T θ + c, and the prior is of the new units.
//
// With a prior N(m₀, Λ₀⁻¹) in either units, and Λ = S + Λ₀ with what the rows told, S,
//   S' = T⁻ᵀ S T⁻¹,   Λ' = S' + Λ₀,   Λ' m' = T⁻ᵀ (Λ m − Λ₀ m₀) + S' c + Λ₀ m₀
// A belief that drifts knows less than that of some weights: of those only so much of the prior,
// Λ₀ ← K Λ₀ with K diagonal, K ≤ I, is made anew as leaves S positive semidefinite. Its intercepts
// of the outputs are wherever the last rows had them, while what was known of them has been
// forgotten. So no prior draws them: m₀ is there whatever m is, in either units. Else what draws
// them back would be told of the weights, which have a part in where they are, by every move again.
#pragma once

#include <cstddef>

#include "absl/status/status.h"
#include "core/linalg/types.h"
#include "core/linalg/woodbury.h"
#include "core/models/weight_map.h"

namespace prequel {

struct Carrying {
  const Layers& layers;
  const InputsChange& inputs;
  const OutputsChange& outputs;
  const Vector& prior_mean;       // m₀: D
  const Vector& prior_precision;  // diag Λ₀: D
  bool stands = false;            // the belief never drifts: K = I
  // `settled`: rows enough were learned to carry as a whole such weights of which a family cannot
  // tell how much of them is the prior's; before, they stay the numbers that they are.
  bool settled = false;

  WeightMap OfAll() const { return WeightMap::OfAll(layers, inputs, outputs); }
  WeightMap OfLayer(std::size_t l) const { return WeightMap::OfLayer(layers, l, inputs, outputs); }
  // OfInputs is of the inputs of the first layer: the weights into any one unit of it.
  WeightMap OfInputs() const { return WeightMap::OfInputs(layers, inputs); }
  WeightMap OfUnit(std::size_t l, Index j) const {
    return WeightMap::OfUnit(layers, l, j, inputs, outputs);
  }
};

// BlockScratch is for weights of one size.
struct BlockScratch {
  Matrix root, pulled, inner;
  Vector prior, drawing, origin, pull;
  Vector gathered, unit_prior_mean, unit_prior;  // of one unit
};

// CarryingScratch grows when units first move, and then no more.
struct CarryingScratch {
  BlockScratch first, last;  // of the first layer, or of all weights; of the last layer
  Woodbury precision;

  BlockScratch& Of(std::size_t l) { return l == 0 ? first : last; }
};

// CarryDense carries N(m, P) with a dense P of the weights that `map` is of, P in its lower
// triangle. INTERNAL when it is not positive definite.
absl::Status CarryDense(const WeightMap& map, ConstVectorRef prior_mean,
                        ConstVectorRef prior_precision, bool stands, VectorRef mean,
                        Matrix& covariance, BlockScratch& w);

// ChangeDensePrior changes the prior of N(m, P) with a dense P from N(m₀, diag(before)⁻¹) to N(m₀,
// diag(after)⁻¹), while what the rows told stays the same:
//   E = K (diag(after) − diag(before)),   P' = (P⁻¹ + E)⁻¹,   m' = m − P' E (m − m₀)
// Of the squares that noise is learned from, (m − m₀)ᵀ E (m' − m₀) more is then the weights': by
// weight, into w.pull. INTERNAL when P is not positive definite.
absl::Status ChangeDensePrior(ConstVectorRef prior_mean, ConstVectorRef before,
                              ConstVectorRef after, bool stands, VectorRef mean, Matrix& covariance,
                              BlockScratch& w);

// CarryDiagonal carries diag(d), a precision of independent weights, of which the prior's part is
// left in w.prior: d' = diag(T⁻ᵀ (diag(d) − K Λ₀) T⁻¹) + K Λ₀.
void CarryDiagonal(const WeightMap& map, const Carrying& by, VectorRef d, BlockScratch& w);

// PullToPrior writes Λ₀ (m₀ − Tm − c) − T⁻ᵀ Λ₀ T⁻¹ (T m₀ − T m) to w.pull: what draws the mean,
// times the new covariance, from where it was carried to the prior's of the new units. `carried` is
// T m + c.
void PullToPrior(const WeightMap& map, ConstVectorRef prior_mean, ConstVectorRef prior_precision,
                 bool stands, ConstVectorRef carried, BlockScratch& w);

}  // namespace prequel
