// Means of counts that come true on the whole: about as many are predicted as are counted.
//
// The mean of a log-normal rate is a matter of its far tail, of which data say little: densities
// and quantiles may be right where the mean is not. With μ_i the mean as the predictive has it, the
// rows of a minibatch b, which err together, are off by e_b = Σ_i (y_i − μ_i). Of
//   Y = Σ y,   M = Σ μ,   V = Σ_b e_b²
// over all minibatches but the first, where a row counts 1/e once 10,000 have followed, what is
// served is
//   c μ,   c = 1 + (Y − M) M/(M² + V/0.2²)
// the mean of c given all e_b, if c ~ N(1, 0.2²) and e_b ~ N((c − 1) Σ_i μ_i, φ Σ_i μ_i), φ being
// estimated by V/M. Many minibatches bring it to Y/M; b of them no further from 1 than 0.1 √b.
#pragma once

#include "core/linalg/types.h"

namespace prequel {

// BalanceState holds the sums of each output. It is empty for values and classes, and for a model
// that serves its means as they are.
struct BalanceState {
  Vector counted, predicted, square;  // Y, M, V

  bool empty() const { return counted.size() == 0; }

  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("counted", s.counted);
    a.Value("predicted", s.predicted);
    a.Value("square", s.square);
  }
};

BalanceState FreshBalance(Index outputs);
bool IsSound(const BalanceState& state, Index outputs);

// MeanFactor returns c of an output, never negative; 1 while nothing is known. REQUIRES: `state` is
// not empty.
double MeanFactor(const BalanceState& state, Index output);

// LearnBalance folds in a minibatch of counts y and errors y − μ, outputs × B each, each row as
// often as `weights` says (B; empty: once). Sums of an output that would no longer be finite stay
// as they were. REQUIRES: `state` is not empty.
void LearnBalance(const Matrix& counts, const Matrix& errors, const Vector& weights,
                  BalanceState& state);

}  // namespace prequel
