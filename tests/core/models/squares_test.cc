#include "core/models/squares.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random/philox.h"

namespace prequel::squares_test {
namespace {

Matrix Normals(Index rows, Index cols, std::uint64_t seed) {
  Matrix out(rows, cols);
  FillNormal(Stream{seed, 0, 0}, out);
  return out;
}

// Largest relative error of both products for a layer and an input, against the definition.
struct Errors {
  double affine = 0, outer = 0;
};

Errors ErrorsOf(const DenseLayer& layer, const Matrix& a, double variance_scale) {
  const Vector variances = variance_scale * Normals(layer.size(), 1, 2).cwiseAbs2();
  const Matrix s = Normals(layer.outputs, a.cols(), 3).cwiseAbs2();
  const Eigen::Map<const Matrix> weights(variances.data(), layer.outputs, layer.inputs);
  Matrix t = weights * a.cwiseAbs2();
  t.colwise() += variances.tail(layer.outputs);
  const Matrix products = s * a.cwiseAbs2().transpose();

  Squares squares;
  Matrix affine(layer.outputs, a.cols());
  Vector outer(layer.size());
  squares.Affine(layer, variances, a, affine);
  squares.OuterSum(layer, s, a, outer);
  const Eigen::Map<const Matrix> outer_weights(outer.data(), layer.outputs, layer.inputs);
  EXPECT_LT((outer.tail(layer.outputs) - s.rowwise().sum()).cwiseAbs().maxCoeff(), 1e-12);
  return {((affine - t).array() / t.array()).abs().maxCoeff(),
          ((outer_weights - products).array() / products.array()).abs().maxCoeff()};
}

TEST(Squares, SmallLayersAreMultipliedInDoublePrecision) {
  const Errors errors = ErrorsOf({0, 60, 60, true}, Normals(60, 33, 1), 1);
  EXPECT_LT(errors.affine, 1e-13);
  EXPECT_LT(errors.outer, 1e-13);
}

TEST(Squares, LargeLayersAreRightToAMillionth) {
  const Errors errors = ErrorsOf({0, 300, 70, true}, Normals(300, 65, 1), 1e-9);
  EXPECT_LT(errors.affine, 1e-6);
  EXPECT_LT(errors.outer, 1e-6);
  EXPECT_GT(errors.affine + errors.outer, 1e-9);  // single precision was in fact used
}

TEST(Squares, WhatSinglePrecisionCannotHoldIsMultipliedInDouble) {
  const Errors inputs = ErrorsOf({0, 300, 70, true}, 1e25 * Normals(300, 9, 1), 1);
  EXPECT_LT(inputs.affine, 1e-13);
  EXPECT_LT(inputs.outer, 1e-13);
  EXPECT_LT(ErrorsOf({0, 300, 70, true}, Normals(300, 9, 1), 1e40).affine, 1e-13);
}

TEST(Squares, ANewInputIsSquaredAfterReset) {
  for (const Index width : {10, 100}) {
    const DenseLayer layer{0, width, width, true};
    const Vector ones = Vector::Ones(layer.size());
    Squares squares;
    Matrix out(width, 5);
    squares.Affine(layer, ones, Matrix::Ones(width, 5), out);
    squares.Reset();
    squares.Affine(layer, ones, Matrix::Constant(width, 5, 3.0), out);
    EXPECT_DOUBLE_EQ(out(0, 0), 9.0 * static_cast<double>(width) + 1);
  }
}

}  // namespace
}  // namespace prequel::squares_test
