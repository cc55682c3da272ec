// Kronecker products over the weights of a dense layer Z = W̃ ã, W̃ = [W b] (outputs × columns) and
// ã = [a; 1]. A cotangent δ of Z has the gradient δ ãᵀ, which as a part of θ is ã ⊗ δ, and
// (A ⊗ S) vec(X) = vec(S X Aᵀ).
#pragma once

#include <vector>

#include "core/linalg/buffer.h"
#include "core/linalg/types.h"
#include "core/models/layer.h"

namespace prequel {

// KroneckerFactors are sums over B examples, of one layer: A and S with Σ_i (ã_i ⊗ δ_i)(ã_i ⊗ δ_i)ᵀ
// ≈ (1/B) A ⊗ S, as if inputs and cotangents were independent (K-FAC: Martens and Grosse 2015).
// Equal when all S_i are alike, as for a linear model with gaussian likelihood. Zeros above the
// diagonals.
struct KroneckerFactors {
  Matrix inputs;      // A = Σ_i ã_i ã_iᵀ: columns × columns
  Matrix cotangents;  // S = Σ_i δ_i δ_iᵀ, or Σ_i Δ_i G_i G_iᵀ Δ_iᵀ: outputs × outputs

  bool IsFinite() const { return inputs.allFinite() && cotangents.allFinite(); }

  template <class T, class Self>
  static void Fields(T& a, Self& s) {
    a.LowerTriangle("inputs", s.inputs);
    a.LowerTriangle("cotangents", s.cotangents);
  }
};

// KroneckerCovariance is P = (V ⊗ U) diag(vec E) (V ⊗ U)ᵀ over the weights of one layer.
struct KroneckerCovariance {
  Matrix input_basis;   // V: columns × columns
  Matrix output_basis;  // U: outputs × outputs
  Matrix variances;     // E: outputs × columns

  // out = P x for x = vec X, X: outputs × columns. `scratch` holds what X is on the way.
  void Multiply(ConstMatrixRef x, Matrix& scratch, MatrixRef out) const;
  // out += a draw of N(0, P) made of outputs × columns standard normals, which are overwritten.
  void Deviate(MatrixRef z, Matrix& scratch, MatrixRef out) const;
};

// The functions below are what a layer with inputs a (fan_in × B) contributes to both.

// SumInputs writes A.
void SumInputs(const DenseLayer& layer, ConstMatrixRef a, Matrix& out);
// SumCotangents writes S of the columns δ of `cotangents` (fan_out × any).
void SumCotangents(ConstMatrixRef cotangents, Matrix& out);
// RotatedVariances writes t (fan_out × B) = E (Vᵀ ã ∘ Vᵀ ã): the variances of Uᵀ Z.
void RotatedVariances(const DenseLayer& layer, ConstMatrixRef a, const KroneckerCovariance& p,
                      Buffer& scratch, MatrixRef t);
// SetRotatedBlocks sets covariance (C × C·B) := blocks U diag(t_i) Uᵀ, of a layer whose unit
// cotangents are the unit vectors.
void SetRotatedBlocks(ConstMatrixRef output_basis, ConstMatrixRef t, Buffer& scratch,
                      MatrixRef covariance);

}  // namespace prequel
