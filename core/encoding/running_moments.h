// Mean and variance of every column of a stream, folded in minibatch by minibatch.
#pragma once

#include <limits>
#include <vector>

#include "core/linalg/types.h"

namespace prequel {

// Chan, Golub, LeVeque (1979): merging n examples with mean m and M2 = Σ(x − m)² with a minibatch
// of (n_b, m_b, M2_b), δ = m_b − m:
//   n' = n + n_b,   m' = m + δ n_b / n',   M2' = M2 + M2_b + δ² n n_b / n'
// With a window W, what was seen counts as W values at most: where n > W, first M2 ← M2 W/n, n ← W.
// Minibatch moments are two-pass with the rounding of the mean corrected, so that neither a large
// mean nor a long stream costs accuracy. Copying between equal sizes allocates nothing.
//
// With a bound c, a value further than c (1 + r) deviations from the mean, where r of the last
// kLong rows or so were beyond that, counts as if it lay just there: so a wild one moves nothing
// for long, and values that come again belong to the column, else the deviation of one that is
// mostly 0 would shrink without end. Where more than kFar of the last kNear lie out there the
// column has become another one: then they count whole, and what was seen before as kNear values at
// most.
struct RunningMoments {
  static constexpr double kAllRows = std::numeric_limits<double>::infinity();
  static constexpr double kUnbounded = std::numeric_limits<double>::infinity();
  static constexpr double kLong = 1000;
  static constexpr double kNear = 32, kFar = 8;

  Vector count;  // n of each column: values that were known, as far as they still count
  Vector mean;   // 0 until one is known
  Vector m2;     // Σ(x − mean)²
  // `far` and `rare` count the values beyond the bound, each the less with every row since: by
  // e^{−1/kNear} and e^{−1/kLong} (r).
  Vector far, rare;

  // Nothing seen of `columns` columns.
  static RunningMoments Empty(Index columns);

  Index size() const { return count.size(); }

  // Folds in x (columns × B); NaN is an unknown value. Element order is fixed, so the same
  // minibatches give the same bits. REQUIRES: |x| ≤ kMaxMagnitude where known.
  void Absorb(ConstMatrixRef x, double window = kAllRows, double bound = kUnbounded);
  // Folds in the examples `kept` of x.
  void Absorb(ConstMatrixRef x, const std::vector<Index>& kept, double window = kAllRows,
              double bound = kUnbounded);

  // The deviation √(M2 / (n − 1)) of column i; 0 where there is none to divide by: n < 2, or a
  // deviation that rounding alone explains (≤ 1e-13 |mean|, or ≤ 1e-100).
  double KnownScale(Index i) const;
  // Scale is KnownScale, or 1 where that is 0.
  double Scale(Index i) const {
    const double known = KnownScale(i);
    return known > 0 ? known : 1;
  }

  // Whether this could be the outcome of Absorb: sizes agree, finite, counts and M2 ≥ 0.
  bool IsValid() const;
};

// Beyond it sums of squares over a stream may overflow; inputs and targets are held to it.
inline constexpr double kMaxMagnitude = 1e100;

}  // namespace prequel
