#include "core/models/dense.h"

namespace prequel {

void Affine(const DenseLayer& layer, ConstVectorRef theta, ConstMatrixRef a, MatrixRef out) {
  if (!layer.has_bias) {
    out.noalias() = Weights(layer, theta) * a;
    return;
  }
  out.colwise() = theta.segment(layer.bias_offset(), layer.outputs);
  out.noalias() += Weights(layer, theta) * a;
}

void WithOnes(const DenseLayer& layer, ConstMatrixRef a, MatrixRef out) {
  out.topRows(layer.inputs) = a;
  if (layer.has_bias) out.row(layer.inputs).setOnes();
}

void SumColumns(ConstMatrixRef a, VectorRef out) {
  if (a.rows() == 1) {
    out[0] = a.sum();
    return;
  }
  out.setZero();  // rowwise().sum() would walk along rows, a stride apart
  Index i = 0;
  for (; i + 4 <= a.cols(); i += 4) {
    out += (a.col(i) + a.col(i + 1)) + (a.col(i + 2) + a.col(i + 3));
  }
  for (; i < a.cols(); ++i) out += a.col(i);
}

void CombineCotangents(ConstMatrixRef delta, ConstMatrixRef u, MatrixRef out) {
  const Index examples = u.cols();
  for (Index i = 0; i < examples; ++i) {
    out.col(i) = delta.col(i) * u(0, i);
    for (Index c = 1; c < u.rows(); ++c) out.col(i) += delta.col(c * examples + i) * u(c, i);
  }
}

void OuterSum(const DenseLayer& layer, ConstMatrixRef delta, ConstMatrixRef a, VectorRef out) {
  Eigen::Map<Matrix>(out.data() + layer.offset, layer.outputs, layer.inputs).noalias() =
      delta * a.transpose();
  if (layer.has_bias) SumColumns(delta, out.segment(layer.bias_offset(), layer.outputs));
}

void OutputJacobian(const DenseLayer& layer, ConstMatrixRef a, MatrixRef jacobian) {
  const Index outputs = layer.outputs;
  if (outputs > 1) jacobian.middleRows(layer.offset, layer.size()).setZero();
  for (Index i = 0; i < a.cols(); ++i) {
    for (Index c = 0; c < outputs; ++c) {
      double* column = &jacobian.coeffRef(layer.offset, i * outputs + c);
      Eigen::Map<Vector, 0, Eigen::InnerStride<>>(column + c, layer.inputs,
                                                  Eigen::InnerStride<>(outputs)) = a.col(i);
      if (layer.has_bias) column[layer.bias_offset() - layer.offset + c] = 1;
    }
  }
}

void OutputJacobianRow(const DenseLayer& layer, Index index, ConstMatrixRef a, Index k,
                       MatrixRef rows) {
  const DenseLayer::Place place = layer.PlaceOf(index);
  rows.row(k).setZero();
  for (Index i = 0; i < a.cols(); ++i) {
    rows(k, i * layer.outputs + place.output) = place.is_bias() ? 1 : a(place.input, i);
  }
}

void SetDiagonalBlocks(ConstMatrixRef t, MatrixRef covariance) {
  if (t.rows() == 1) {
    covariance = t;
    return;
  }
  covariance.setZero();
  for (Index i = 0; i < t.cols(); ++i) {
    covariance.middleCols(i * t.rows(), t.rows()).diagonal() = t.col(i);
  }
}

void RowSquares(ConstMatrixRef roots, MatrixRef out) {
  const Index rank = out.cols() > 0 ? roots.cols() / out.cols() : 0;
  if (rank == 1) {
    out.array() = roots.array().square();
    return;
  }
  out.setZero();
  for (Index i = 0; i < out.cols(); ++i) {
    for (Index r = 0; r < rank; ++r) {
      out.col(i).array() += roots.col(i * rank + r).array().square();
    }
  }
}

}  // namespace prequel
