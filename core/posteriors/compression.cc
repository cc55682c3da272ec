#include "core/posteriors/compression.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>

namespace prequel {

// X = U Σ Vᵀ has Xᵀ X = V Σ² Vᵀ and X Xᵀ = U Σ² Uᵀ: whichever is the smaller gives U_L Σ_L, as X
// V_L or as U_L times the root of its eigenvalues. Squaring loses the singular values below 1e-8 of
// the largest, to which a precision is blind.
void Compressor::KeepLargest(const Matrix& x, Index rank, Matrix& w) {
  const bool by_columns = x.cols() <= x.rows();
  const Index size = by_columns ? x.cols() : x.rows();
  gram_.setZero(size, size);
  if (by_columns) {
    gram_.selfadjointView<Eigen::Lower>().rankUpdate(x.transpose());
  } else {
    gram_.selfadjointView<Eigen::Lower>().rankUpdate(x);
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(gram_);  // eigenvalues ascend
  const Index kept = std::min(rank, size);
  w.setZero(x.rows(), rank);
  if (by_columns) {
    w.leftCols(kept).noalias() = x * solver.eigenvectors().rightCols(kept).rowwise().reverse();
    return;
  }
  w.leftCols(kept) = (solver.eigenvectors().rightCols(kept) *
                      solver.eigenvalues().tail(kept).cwiseMax(0).cwiseSqrt().asDiagonal())
                         .rowwise()
                         .reverse();
}

// One step of EM, with Ψ = diag(d'), M = I + Wᵀ Ψ⁻¹ W and V = S Ψ⁻¹ W = X (Xᵀ Ψ⁻¹ W) + d Ψ⁻¹ W:
//   W ← V (M + Wᵀ Ψ⁻¹ V)⁻¹ M,   Ψ ← diag(S) − diag(V (M + Wᵀ Ψ⁻¹ V)⁻¹ Vᵀ)
void Compressor::Loop(ConstVectorRef d, const Matrix& x, Vector& next_d, Matrix& w) {
  const Index rank = w.cols();
  solved_ = next_d.cwiseInverse().asDiagonal() * w;  // Ψ⁻¹ W
  gram_.noalias() = w.transpose() * solved_;
  gram_.diagonal().array() += 1;  // M
  inner_.resize(x.cols(), rank);
  inner_.noalias() = x.transpose() * solved_;
  image_ = d.asDiagonal() * solved_;
  image_.noalias() += x * inner_;  // V
  inner_.resize(rank, rank);
  inner_.noalias() = solved_.transpose() * image_;
  inner_ += gram_;
  const Eigen::LLT<Matrix> cholesky(inner_);
  w.noalias() = image_ * cholesky.solve(gram_);
  cholesky.matrixL().transpose().solveInPlace<Eigen::OnTheRight>(image_);
  // Positive in exact arithmetic; not less than what rounding can tell from nothing.
  next_d = (diagonal_ - image_.rowwise().squaredNorm()).cwiseMax(1e-14 * diagonal_);
}

void Compressor::Compress(const Compression& compression, ConstVectorRef d, const Matrix& x,
                          Index rank, Vector& next_d, Matrix& w) {
  KeepLargest(x, rank, w);
  if (compression.kind == Compression::Kind::kDrop) {
    next_d = d;
    return;
  }
  const Vector prior = d;
  diagonal_ = x.rowwise().squaredNorm();
  next_d = prior + (diagonal_ - w.rowwise().squaredNorm()).cwiseMax(0);
  if (compression.kind != Compression::Kind::kFactorAnalysis) return;
  diagonal_ += prior;  // diag(S)
  for (Index loop = 0; loop < compression.loops; ++loop) Loop(prior, x, next_d, w);
}

// Xᵀ = Q R gives X Xᵀ = Rᵀ R.
void Condense(Matrix& x) {
  if (x.cols() <= x.rows()) return;
  const Eigen::HouseholderQR<Matrix> qr(x.transpose());
  x = qr.matrixQR().topRows(x.rows()).triangularView<Eigen::Upper>().transpose();
}

}  // namespace prequel
