#include "core/linalg/cholesky.h"

#include <algorithm>

namespace prequel {

bool FactorInPlace(Matrix& s) {
  const Eigen::LLT<Eigen::Ref<Matrix>> cholesky(s);
  // Eigen lets NaN through, which from anywhere in S reaches the diagonal.
  return cholesky.info() == Eigen::Success && s.diagonal().allFinite();
}

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

void InverseOfFactor(ConstMatrixRef factor, Matrix& scratch, Matrix& out) {
  scratch.setIdentity(factor.rows(), factor.cols());
  factor.triangularView<Eigen::Lower>().solveInPlace(scratch);
  out.resize(factor.rows(), factor.cols());
  out.triangularView<Eigen::Lower>() = scratch.transpose() * scratch;
}

}  // namespace prequel
