#include "core/models/squares.h"

#include <cmath>
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

bool Squares::SquareInSingle(const DenseLayer& layer, ConstMatrixRef a) {
  const bool large = layer.inputs * layer.outputs >= kSingleWeights;
  if (large && squared_ == Squared::kNone) {
    SingleBuffer::View squared = single_.Resize(a.rows(), a.cols());
    squared.array() = a.array().cast<float>().square();
    squared_ = Squared::kSingle;
  }
  return squared_ == Squared::kSingle;
}

Buffer::ConstView Squares::SquareInDouble(ConstMatrixRef a) {
  if (squared_ != Squared::kDouble) {
    double_.Resize(a.rows(), a.cols()).array() = a.array().square();
    squared_ = Squared::kDouble;
  }
  return std::as_const(double_).view();
}

void Squares::Affine(const DenseLayer& layer, ConstVectorRef variances, ConstMatrixRef a,
                     MatrixRef out) {
  if (SquareInSingle(layer, a)) {
    SingleBuffer::View left = left_.Resize(layer.outputs, layer.inputs);
    left = Weights(layer, variances).cast<float>();
    SingleBuffer::View product = product_.Resize(layer.outputs, a.cols());
    product.noalias() = left * single_.view();
    if (std::isfinite(product.sum())) {  // what is too large is infinite, and so is its sum
      out = product.cast<double>();
      if (layer.has_bias) out.colwise() += variances.segment(layer.bias_offset(), layer.outputs);
      return;
    }
  }
  prequel::Affine(layer, variances, SquareInDouble(a), out);
}

void Squares::OuterSum(const DenseLayer& layer, ConstMatrixRef s, ConstMatrixRef a, VectorRef out) {
  if (!SquareInSingle(layer, a) || !(Largest(s) * Largest(single_.view()) < kMostSingle)) {
    prequel::OuterSum(layer, s, SquareInDouble(a), out);
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
