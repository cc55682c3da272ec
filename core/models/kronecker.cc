#include "core/models/kronecker.h"

#include "core/models/dense.h"

namespace prequel {

void KroneckerCovariance::Multiply(ConstMatrixRef x, Matrix& scratch, MatrixRef out) const {
  scratch.resize(x.rows(), x.cols());
  scratch.noalias() = output_basis.transpose() * x;
  out.noalias() = scratch * input_basis;
  out.array() *= variances.array();
  scratch.noalias() = output_basis * out;
  out.noalias() = scratch * input_basis.transpose();
}

void KroneckerCovariance::Deviate(MatrixRef z, Matrix& scratch, MatrixRef out) const {
  z.array() *= variances.array().sqrt();
  scratch.resize(z.rows(), z.cols());
  scratch.noalias() = output_basis * z;
  out.noalias() += scratch * input_basis.transpose();
}

void SumInputs(const DenseLayer& layer, ConstMatrixRef a, Matrix& out) {
  out.setZero(layer.columns(), layer.columns());
  out.topLeftCorner(layer.inputs, layer.inputs).selfadjointView<Eigen::Lower>().rankUpdate(a);
  if (!layer.has_bias) return;
  out.row(layer.inputs).head(layer.inputs) = a.rowwise().sum().transpose();
  out(layer.inputs, layer.inputs) = static_cast<double>(a.cols());
}

void SumCotangents(ConstMatrixRef cotangents, Matrix& out) {
  out.setZero(cotangents.rows(), cotangents.rows());
  out.selfadjointView<Eigen::Lower>().rankUpdate(cotangents);
}

void RotatedVariances(const DenseLayer& layer, ConstMatrixRef a, const KroneckerCovariance& p,
                      Buffer& scratch, MatrixRef t) {
  Buffer::View rotated = scratch.Resize(layer.columns(), a.cols());
  rotated.noalias() = p.input_basis.topRows(layer.inputs).transpose() * a;
  if (layer.has_bias) rotated.colwise() += p.input_basis.row(layer.inputs).transpose();
  rotated.array() = rotated.array().square();
  t.noalias() = p.variances * rotated;
}

void SetRotatedBlocks(ConstMatrixRef output_basis, ConstMatrixRef t, Buffer& scratch,
                      MatrixRef covariance) {
  const Index logits = t.rows();
  Buffer::View scaled = scratch.Resize(logits, logits);
  for (Index i = 0; i < t.cols(); ++i) {
    scaled = output_basis * t.col(i).asDiagonal();
    covariance.middleCols(i * logits, logits).noalias() = scaled * output_basis.transpose();
  }
}

}  // namespace prequel
