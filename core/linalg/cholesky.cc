#include "core/linalg/cholesky.h"

#include <algorithm>

namespace prequel {

double LogDeterminant(ConstMatrixRef factor) { return 2 * factor.diagonal().array().log().sum(); }

// A strip of columns at a time: C⁻¹ is lower triangular, so a strip starts at its own row and the
// whole costs n³/3.
double TraceOfInverse(ConstMatrixRef factor, Matrix& scratch) {
  constexpr Index kStrip = 32;
  const Index size = factor.rows();
  scratch.resize(size, kStrip);
  double trace = 0;
  for (Index start = 0; start < size; start += kStrip) {
    const Index rows = size - start;
    auto strip = scratch.topLeftCorner(rows, std::min(kStrip, rows));
    strip.setIdentity();
    factor.bottomRightCorner(rows, rows).triangularView<Eigen::Lower>().solveInPlace(strip);
    trace += strip.squaredNorm();
  }
  return trace;
}

}  // namespace prequel
