// Kronecker products written out, for tests.
#pragma once

#include <vector>

#include "core/models/kronecker.h"
#include "core/posteriors/kronecker_gaussian.h"

namespace prequel {

inline Matrix Kron(const Matrix& a, const Matrix& b) {
  Matrix out(a.rows() * b.rows(), a.cols() * b.cols());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.cols(); ++j) {
      out.block(i * b.rows(), j * b.cols(), b.rows(), b.cols()) = a(i, j) * b;
    }
  }
  return out;
}

inline Matrix FromLower(const Matrix& lower) { return lower.selfadjointView<Eigen::Lower>(); }

inline Matrix Dense(const KroneckerCovariance& p) {
  const Matrix basis = Kron(p.input_basis, p.output_basis);
  return basis * p.variances.reshaped().asDiagonal() * basis.transpose();
}

inline Matrix BlockDiagonal(const std::vector<Matrix>& blocks) {
  Index size = 0;
  for (const Matrix& block : blocks) size += block.rows();
  Matrix out = Matrix::Zero(size, size);
  Index offset = 0;
  for (const Matrix& block : blocks) {
    out.block(offset, offset, block.rows(), block.cols()) = block;
    offset += block.rows();
  }
  return out;
}

inline Matrix Covariance(const KroneckerGaussian& q) {
  std::vector<Matrix> dense;
  for (const auto& layer : q.layers) {
    KroneckerCovariance p;
    layer.CovarianceTo(p);
    dense.push_back(Dense(p));
  }
  return BlockDiagonal(dense);
}

}  // namespace prequel
