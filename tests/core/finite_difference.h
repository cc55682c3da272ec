// Numeric derivatives, the oracle of every score, curvature root and Jacobian.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/linalg/types.h"

namespace prequel {

// f'(0) by the five-point rule: error O(h⁴).
template <class F>
auto NumericDerivative(const F& f, double h) {
  return ((8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)).eval();
}

// ∂f/∂x of a vector-valued f: one column per element of x.
template <class F>
Matrix NumericJacobian(const F& f, const Vector& x, double h = 1e-3) {
  Matrix jacobian;
  for (Index j = 0; j < x.size(); ++j) {
    const auto along = [&](double step) {
      Vector moved = x;
      moved[j] += step;
      return Vector(f(moved));
    };
    const Vector column = NumericDerivative(along, h);
    if (j == 0) jacobian.resize(column.size(), x.size());
    jacobian.col(j) = column;
  }
  return jacobian;
}

// ∂f/∂x of a scalar f.
template <class F>
Vector NumericGradient(const F& f, const Vector& x, double h = 1e-3) {
  const auto vector_valued = [&](const Vector& at) { return Vector::Constant(1, f(at)); };
  return NumericJacobian(vector_valued, x, h).transpose();
}

// Largest difference, relative to the largest entry (or 1).
inline double RelativeError(ConstMatrixRef got, ConstMatrixRef want) {
  if (got.rows() != want.rows() || got.cols() != want.cols()) return HUGE_VAL;
  if (!got.allFinite()) return HUGE_VAL;
  return (got - want).cwiseAbs().maxCoeff() / std::max(1.0, want.cwiseAbs().maxCoeff());
}

}  // namespace prequel
