#include "core/models/squares.h"

#include <utility>

#include "core/models/dense.h"

namespace prequel {
namespace {

// Far enough inside the range of single precision (1e±38) that a sum of any length fits.
constexpr double kMostSingle = 1e28;

template <class Values>
double Largest(const Values& values) {
  return values.size() == 0 ? 0 : static_cast<double>(values.maxCoeff());
}

}  // namespace

bool Squares::InSingle(const DenseLayer& layer, ConstMatrixRef a, ConstMatrixRef other) {
  const bool large = layer.inputs * layer.outputs >= kSingleWeights;
  if (large && squared_ == Squared::kNone) {
    SingleBuffer::View squared = single_.Resize(a.rows(), a.cols());
    squared.array() = a.array().cast<float>().square();
    largest_ = Largest(squared);
    squared_ = Squared::kSingle;
  }
  // Infinity compares false; NaN stays NaN in either precision.
  if (squared_ == Squared::kSingle && largest_ < kMostSingle) {
    const double most = Largest(other);
    if (most < kMostSingle && largest_ * most < kMostSingle) return true;
  }
  if (squared_ != Squared::kDouble) {
    double_.Resize(a.rows(), a.cols()).array() = a.array().square();
    squared_ = Squared::kDouble;
  }
  return false;
}

void Squares::Affine(const DenseLayer& layer, ConstVectorRef variances, ConstMatrixRef a,
                     MatrixRef out) {
  const Eigen::Map<const Matrix> weights = Weights(layer, variances);
  if (!InSingle(layer, a, weights)) {
    prequel::Affine(layer, variances, std::as_const(double_).view(), out);
    return;
  }
  SingleBuffer::View left = left_.Resize(layer.outputs, layer.inputs);
  left = weights.cast<float>();
  SingleBuffer::View product = product_.Resize(layer.outputs, a.cols());
  product.noalias() = left * single_.view();
  out = product.cast<double>();
  if (layer.has_bias) out.colwise() += variances.segment(layer.bias_offset(), layer.outputs);
}

void Squares::OuterSum(const DenseLayer& layer, ConstMatrixRef s, ConstMatrixRef a, VectorRef out) {
  if (!InSingle(layer, a, s)) {
    prequel::OuterSum(layer, s, std::as_const(double_).view(), out);
    return;
  }
  SingleBuffer::View left = left_.Resize(s.rows(), s.cols());
  left = s.cast<float>();
  SingleBuffer::View product = product_.Resize(layer.outputs, layer.inputs);
  product.noalias() = left * single_.view().transpose();
  Eigen::Map<Matrix>(out.data() + layer.offset, layer.outputs, layer.inputs) =
      product.cast<double>();
  if (layer.has_bias) SumColumns(s, out.segment(layer.bias_offset(), layer.outputs));
}

}  // namespace prequel
