// How much the second of two predictives is believed: core/dynamics/mixing.h, which has the
// equations, for K = 2. All hypotheses are worked on side by side, and logarithms are taken of
// products: a hundredth of a microsecond a row.
#pragma once

#include "core/linalg/types.h"

namespace prequel {

struct PairWeightsState {
  Vector weights;    // J: of the second predictive under each hypothesis
  Vector average;    // J, alike
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

class PairWeights {
 public:
  // `first` is both π and the first weight of the second predictive, in (0, 1).
  explicit PairWeights(double first) : first_(first) {}

  PairWeightsState Fresh() const;
  static bool IsSound(const PairWeightsState& state);

  // Absorb folds in log p_k(y_i), 2 × B, all finite. Allocates nothing.
  void Absorb(const Matrix& log_densities, PairWeightsState& state) const;

  // Weight is that of the second predictive, in (0, 1).
  static double Weight(const PairWeightsState& state);

 private:
  double first_;
};

}  // namespace prequel
