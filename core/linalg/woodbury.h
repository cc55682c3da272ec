// The inverse of a diagonal plus a low rank, never formed (Woodbury 1950). For W: D × K and d > 0,
//   Λ = diag(d) + W Wᵀ,   X = d^{−1/2} W,   M = I + Xᵀ X = C Cᵀ  (K × K)
//   Λ⁻¹ = d^{−1/2} (I − X M⁻¹ Xᵀ) d^{−1/2},   log|Λ| = Σ log d + log|M|
// M is I plus a positive semidefinite matrix, hence well conditioned from below.
#pragma once

#include "absl/status/status.h"
#include "core/linalg/types.h"

namespace prequel {

// Holds a copy; O(DK) memory. Allocates nothing once grown.
class Woodbury {
 public:
  // O(DK² + K³). INTERNAL when Λ is not finite. REQUIRES: d > 0.
  absl::Status Factor(ConstVectorRef d, ConstMatrixRef w);

  Index size() const { return deviation_.size(); }  // D
  Index rank() const { return scaled_.cols(); }     // K

  // C, in the lower triangle. The trailing block of a Cholesky factor is that of a Schur
  // complement: for W = [W₁, W₂], of I + W₂ᵀ (d + W₁ W₁ᵀ)⁻¹ W₂.
  const Matrix& factor() const { return factor_; }
  double log_det() const { return log_det_; }

  const Vector& deviation() const { return deviation_; }  // d^{−1/2}
  const Matrix& scaled() const { return scaled_; }        // X

  // out = Λ⁻¹ v. O(DK).
  void Solve(ConstVectorRef v, Vector& out);
  // out = Λ⁻¹ V, column by column.
  void SolveColumns(ConstMatrixRef v, Matrix& out);

  // tr(diag(v) Λ⁻¹). O(DK²).
  double TraceOfInverse(ConstVectorRef v);

  // x ~ N(0, Λ⁻¹) of D + K independent standard normals z: with z₁ in R^D and z₂ in R^K,
  //   x = Λ⁻¹ (d^{1/2} z₁ + W z₂) = d^{−1/2} (z₁ + X M⁻¹ (z₂ − Xᵀ z₁))
  // whose covariance is Λ⁻¹ (diag(d) + W Wᵀ) Λ⁻¹; nothing large cancels in the second form.
  void Deviate(ConstVectorRef z, Vector& x);

 private:
  template <class Columns>
  void SolveInner(Columns&& columns) const {  // M⁻¹ in place
    factor_.triangularView<Eigen::Lower>().solveInPlace(columns);
    factor_.transpose().triangularView<Eigen::Upper>().solveInPlace(columns);
  }

  Vector deviation_;  // D
  Matrix scaled_;     // D × K
  Matrix factor_;     // K × K
  double log_det_ = 0;
  Vector weights_;        // K, scratch
  Matrix inner_weights_;  // K × columns, scratch
  Matrix gain_;           // X C⁻ᵀ: D × K, scratch
};

}  // namespace prequel
