// How much each of K hypotheses is believed in a world that moves: by what they have predicted of
// late, where nobody knows how late.
//
// Over n rows, with ℓ_k = Σ_i log p_k(y_i) as predicted, there are J ways to weigh, j = (α, e): by
// the share α per row that starts again, and by the exponent e that keeps the rows of one
// minibatch, which err together, from counting as if each said something new:
//   v ∝ w_j · exp(n^{−e} ℓ)
//   avg = mean of all v by rows, the first weights worth 64 of them
//   w_j ← e^{−αn} v + (1 − e^{−αn}) (0.9 avg + 0.1 π)
//   u_j ∝ u_j · exp Σ_i log Σ_k w_jk p_k(y_i)
// and hypothesis k has the weight Σ_j u_j w_jk for the rows to come, of which Σ_j u_j v_jk is what
// these rows tell. The share to the past average (Bousquet and Warmuth 2002, "Tracking a small set
// of experts by mixing past posteriors") finds again what served before.
#pragma once

#include <utility>

#include "core/linalg/types.h"

namespace prequel {

// MixingState is empty for a model that holds a single hypothesis.
struct MixingState {
  Matrix weights;    // w: K × J, columns sum to 1
  Matrix average;    // avg: K × J, alike
  Vector log_trust;  // log u: J, of weights that sum to 1
  double rows = 0;   // behind the averages

  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("weights", s.weights);
    a.Value("average", s.average);
    a.Value("log_trust", s.log_trust);
    a.Value("rows", s.rows);
  }
};

struct MixingScratch {
  Matrix densities;          // K × B
  Matrix told;               // v: K × J
  Vector mixed;              // B
  Vector evidence, weights;  // K
  Vector believed;           // after the rows, of all that PredictionWeights has
};

class Mixing {
 public:
  Mixing() = default;  // of one hypothesis
  // `base` is π, `first` the first weights: K, positive, and each sums to 1.
  Mixing(Vector base, Vector first) : base_(std::move(base)), first_(std::move(first)) {}

  Index size() const { return base_.size() == 0 ? 1 : base_.size(); }  // K
  bool mixes() const { return size() > 1; }

  // The state before the first minibatch.
  MixingState Fresh() const;
  bool IsSound(const MixingState& state) const;

  // Absorb folds in log p_k(y_i), K × B: a hypothesis may think a row impossible (−inf). False,
  // with the state unspecified, when some y_i is possible under no hypothesis. Allocates nothing
  // once grown.
  bool Absorb(ConstMatrixRef log_densities, MixingState& state, MixingScratch& scratch) const;

  // Weights writes Σ_j u_j w_jk: K.
  static void Weights(const MixingState& state, VectorRef out);
  // Believed writes Σ_j u_j v_jk, K, of the rows absorbed last: what is believed of them, however
  // many they were. In a large minibatch little of that is left for the rows to come.
  static void Believed(const MixingState& state, const MixingScratch& scratch, VectorRef out);

 private:
  Vector base_, first_;
};

}  // namespace prequel
