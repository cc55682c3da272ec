// What every dense layer Z = W A + b (W: fan_out × fan_in) contributes, whatever surrounds it.
#pragma once

#include "core/linalg/types.h"
#include "core/models/layer.h"

namespace prequel {

inline Eigen::Map<const Matrix> Weights(const DenseLayer& layer, ConstVectorRef theta) {
  return {theta.data() + layer.offset, layer.outputs, layer.inputs};
}

// out (fan_out × B) = W a + b; `theta` may be any vector laid out like θ.
void Affine(const DenseLayer& layer, ConstVectorRef theta, ConstMatrixRef a, MatrixRef out);

// out (columns() × B) = [a; 1], or `a` where there are no biases.
void WithOnes(const DenseLayer& layer, ConstMatrixRef a, MatrixRef out);

// out (rows of `a`) = a 1.
void SumColumns(ConstMatrixRef a, VectorRef out);

// out (fan_out × B): Σ_c Δ^c_{ji} u_{ci}, for Δ fan_out × C·B with Δ^c_i in column c·B + i.
void CombineCotangents(ConstMatrixRef delta, ConstMatrixRef u, MatrixRef out);

// Writes the layer's part of `out` (D): weights Δ aᵀ, biases Δ 1, for Δ fan_out × B.
void OuterSum(const DenseLayer& layer, ConstMatrixRef delta, ConstMatrixRef a, VectorRef out);

// The four below are for the last layer, whose unit cotangents are the unit vectors.

// Writes the layer's rows of `jacobian` (D × C·B).
void OutputJacobian(const DenseLayer& layer, ConstMatrixRef a, MatrixRef jacobian);

// Writes row `k` of `rows` (S × C·B): the row of the layer's weight or bias `index` of θ.
void OutputJacobianRow(const DenseLayer& layer, Index index, ConstMatrixRef a, Index k,
                       MatrixRef rows);

// covariance (C × C·B) := blocks diag(t_i) for t (C × B).
void SetDiagonalBlocks(ConstMatrixRef t, MatrixRef covariance);

// out (C × B): Σ_r G_{cr,i}² for roots C × R·B.
void RowSquares(ConstMatrixRef roots, MatrixRef out);

}  // namespace prequel
