#include "core/models/mlp.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/models/dense.h"

namespace prequel {
namespace {

constexpr Index kMaxWidth = 1 << 16;
constexpr std::size_t kMaxHiddenLayers = 16;
constexpr Index kColumnsAtATime = 160;  // of roots, whose cotangents then stay in cache

}  // namespace

absl::Status Mlp::Configure(Options& options, Index inputs, Index outputs) {
  options.Describe("a multilayer perceptron", "of each layer (inputs + 1) × units weights");
  std::vector<Index> hidden = {32};
  std::string activation = "tanh";
  options.Help("units of each layer").Integers("hidden", &hidden, 1, kMaxWidth, kMaxHiddenLayers);
  options.Help("of units").Choice("activation", &activation, {"tanh", "relu", "gelu", "identity"});
  if (hidden.empty()) options.Fail("hidden", "needs at least one layer; \"linear\" has none");
  activation_ = ActivationNamed(activation);
  hidden.push_back(outputs);
  layers_.clear();
  num_params_ = 0;
  for (const Index width : hidden) {
    layers_.push_back({num_params_, inputs, width, true});
    num_params_ += layers_.back().size();
    inputs = width;
  }
  return options.Finish();
}

void Mlp::Initialize(const Stream& key, VectorRef theta) const {
  FillNormal(key, theta);
  for (const DenseLayer& layer : layers_) {
    theta.segment(layer.offset, layer.outputs * layer.inputs) *=
        1 / std::sqrt(static_cast<double>(layer.inputs));
    theta.segment(layer.bias_offset(), layer.outputs).setZero();
  }
}

void Mlp::Forward(ConstVectorRef theta, ConstMatrixRef x, Tape& tape, MatrixRef logits) const {
  const std::size_t last = layers_.size() - 1;
  tape.layers.resize(layers_.size());
  tape.logits = num_logits();
  tape.examples = x.cols();
  for (Tape::Layer& layer : tape.layers) layer.squares.Reset();

  tape.layers[0].input.Resize(x.rows(), x.cols()) = x;
  for (std::size_t l = 0; l < last; ++l) {
    Buffer::View a = tape.layers[l + 1].input.Resize(layers_[l].outputs, x.cols());
    Affine(layers_[l], theta, tape.layers[l].input.view(), a);
    Activate(activation_, a, tape.layers[l].slope.Resize(a.rows(), a.cols()));
  }
  Affine(layers_[last], theta, tape.layers[last].input.view(), logits);
}

void Mlp::Linearize(ConstVectorRef theta, Tape& tape, Index first) const {
  const std::size_t last = layers_.size() - 1;
  for (std::size_t l = last; l > 0 && first < layers_[l].offset; --l) {
    const Eigen::Map<const Matrix> weights = Weights(layers_[l], theta);
    const Buffer::View slope = tape.layers[l - 1].slope.view();
    Buffer::View delta = tape.layers[l - 1].delta.Resize(slope.rows(), tape.logits * tape.examples);
    if (l == last) {
      Buffer::View cotangent = tape.layers[l - 1].product.Resize(slope.rows(), 1);
      for (Index c = 0; c < tape.logits; ++c) {
        cotangent = weights.row(c).transpose();
        delta.middleCols(c * tape.examples, tape.examples) = cotangent.col(0).asDiagonal() * slope;
      }
      continue;
    }
    delta.noalias() = weights.transpose() * tape.layers[l].delta.view();
    for (Index c = 0; c < tape.logits; ++c) {
      delta.middleCols(c * tape.examples, tape.examples).array() *= slope.array();
    }
  }
}

Mlp::UnitCotangents Mlp::CotangentsOf(const Tape& tape, const Buffer& delta, Index example) {
  return {delta.view().col(example).data(), delta.rows(), tape.logits,
          Eigen::OuterStride<>(delta.rows() * tape.examples)};
}

void Mlp::Jacobian(const Tape& tape, MatrixRef jacobian) const {
  const std::size_t last = layers_.size() - 1;
  for (Index i = 0; i < tape.examples; ++i) {
    for (Index c = 0; c < tape.logits; ++c) {
      double* column = &jacobian.coeffRef(0, i * tape.logits + c);
      for (std::size_t l = 0; l < last; ++l) {
        const DenseLayer& layer = layers_[l];
        const Buffer::ConstView delta = tape.layers[l].delta.view();
        const Buffer::ConstView input = tape.layers[l].input.view();
        const Buffer::ConstView::ConstColXpr cotangent = delta.col(c * tape.examples + i);
        Eigen::Map<Matrix>(column + layer.offset, layer.outputs, layer.inputs).noalias() =
            cotangent * input.col(i).transpose();
        Eigen::Map<Vector>(column + layer.bias_offset(), layer.outputs) = cotangent;
      }
    }
  }
  OutputJacobian(layers_[last], tape.layers[last].input.view(), jacobian);
}

void Mlp::HiddenJacobianRow(const Tape& tape, std::size_t l, Index index, Index k,
                            MatrixRef rows) const {
  const DenseLayer::Place place = layers_[l].PlaceOf(index);
  const Buffer::ConstView delta = tape.layers[l].delta.view();
  const Buffer::ConstView input = tape.layers[l].input.view();
  for (Index i = 0; i < tape.examples; ++i) {
    const double a = place.is_bias() ? 1 : input(place.input, i);
    for (Index c = 0; c < tape.logits; ++c) {
      rows(k, i * tape.logits + c) = delta(place.output, c * tape.examples + i) * a;
    }
  }
}

void Mlp::JacobianRows(const Tape& tape, const std::vector<Index>& of, MatrixRef rows) const {
  const std::size_t last = layers_.size() - 1;
  std::size_t l = 0;
  for (Index k = 0; k < rows.rows(); ++k) {
    const Index index = of[static_cast<std::size_t>(k)];
    while (l < last && index >= layers_[l + 1].offset) ++l;
    if (l < last) {
      HiddenJacobianRow(tape, l, index, k, rows);
    } else {
      OutputJacobianRow(layers_[l], index, tape.layers[l].input.view(), k, rows);
    }
  }
}

void Mlp::InputJacobian(ConstVectorRef theta, const Tape& tape, MatrixRef jacobian) const {
  jacobian.noalias() = Weights(layers_[0], theta).transpose() * tape.layers[0].delta.view();
}

void Mlp::MarginalCovariance(const Tape& tape, ConstVectorRef variances,
                             MatrixRef covariance) const {
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const Tape::Layer& layer = tape.layers[l];
    Buffer::View t = layer.output.Resize(layers_[l].outputs, tape.examples);
    layer.squares.Affine(layers_[l], variances, layer.input.view(), t);
    if (l + 1 == layers_.size()) {
      SetDiagonalBlocks(t, covariance);
    } else {
      AddCovariance(tape, l, layer.delta, covariance);
    }
  }
}

// covariance_{cc'} += Σ_j Δ^c_j Δ^{c'}_j t_j, t in layer.output.
void Mlp::AddCovariance(const Tape& tape, std::size_t l, const Buffer& delta,
                        MatrixRef covariance) {
  const Tape::Layer& layer = tape.layers[l];
  const Buffer::View t = layer.output.view();
  const Index logits = tape.logits;
  if (logits == 1) {
    covariance.row(0).array() += (delta.view().array().square() * t.array()).colwise().sum();
    return;
  }
  Buffer::View scaled = layer.product.Resize(t.rows(), logits);
  for (Index i = 0; i < tape.examples; ++i) {
    const UnitCotangents cotangents = CotangentsOf(tape, delta, i);
    scaled.noalias() = t.col(i).asDiagonal() * cotangents;
    covariance.middleCols(i * logits, logits).noalias() += cotangents.transpose() * scaled;
  }
}

// Σ_c Δ^c_{ji} u_{ci}: fan_out × B.
Buffer::View Mlp::Combined(Tape& tape, std::size_t l, ConstMatrixRef u) {
  Tape::Layer& layer = tape.layers[l];
  Buffer::View combined = layer.output.Resize(layer.delta.rows(), tape.examples);
  CombineCotangents(layer.delta.view(), u, combined);
  return combined;
}

void Mlp::GradientSum(Tape& tape, ConstMatrixRef u, VectorRef gradient) const {
  const std::size_t last = layers_.size() - 1;
  for (std::size_t l = 0; l < last; ++l) {
    OuterSum(layers_[l], Combined(tape, l, u), tape.layers[l].input.view(), gradient);
  }
  OuterSum(layers_[last], u, tape.layers[last].input.view(), gradient);
}

// s_{ji} = Σ_r (Σ_c Δ^c_{ji} G_{cr,i})²: fan_out × B.
Buffer::View Mlp::SquaresThroughRoots(Tape& tape, std::size_t l, ConstMatrixRef roots) const {
  Tape::Layer& layer = tape.layers[l];
  const Buffer::View delta = layer.delta.view();
  Buffer::View squares = layer.output.Resize(delta.rows(), tape.examples);
  const Index rank = tape.examples > 0 ? roots.cols() / tape.examples : 0;
  if (tape.logits == 1 && rank == 1) {
    for (Index i = 0; i < tape.examples; ++i) {
      squares.col(i).array() = delta.col(i).array().square() * (roots(0, i) * roots(0, i));
    }
    return squares;
  }
  Buffer::View product = layer.product.Resize(delta.rows(), rank);
  squares.setZero();
  for (Index i = 0; i < tape.examples; ++i) {
    product.noalias() = CotangentsOf(tape, layer.delta, i) * roots.middleCols(i * rank, rank);
    for (Index r = 0; r < rank; ++r) squares.col(i).array() += product.col(r).array().square();
  }
  return squares;
}

void Mlp::CurvatureDiagonal(Tape& tape, ConstMatrixRef roots, VectorRef diagonal) const {
  const std::size_t last = layers_.size() - 1;
  for (std::size_t l = 0; l < last; ++l) {
    Tape::Layer& layer = tape.layers[l];
    layer.squares.OuterSum(layers_[l], SquaresThroughRoots(tape, l, roots), layer.input.view(),
                           diagonal);
  }
  Tape::Layer& layer = tape.layers[last];
  Buffer::View squares = layer.output.Resize(tape.logits, tape.examples);
  RowSquares(roots, squares);
  layer.squares.OuterSum(layers_[last], squares, layer.input.view(), diagonal);
}

// Δ_i G_i of a hidden layer: fan_out × R·B.
Buffer::View Mlp::ThroughRoots(Tape& tape, std::size_t l, ConstMatrixRef roots) {
  Tape::Layer& layer = tape.layers[l];
  const Index rank = tape.examples > 0 ? roots.cols() / tape.examples : 0;
  Buffer::View out = layer.rotated.Resize(layer.delta.rows(), roots.cols());
  if (tape.logits == 1 && rank == 1) {
    out = layer.delta.view() * roots.row(0).asDiagonal();
    return out;
  }
  for (Index i = 0; i < tape.examples; ++i) {
    out.middleCols(i * rank, rank).noalias() =
        CotangentsOf(tape, layer.delta, i) * roots.middleCols(i * rank, rank);
  }
  return out;
}

void Mlp::CurvatureFactors(Tape& tape, ConstMatrixRef roots,
                           std::vector<KroneckerFactors>& factors) const {
  const std::size_t last = layers_.size() - 1;
  factors.resize(layers_.size());
  for (std::size_t l = 0; l <= last; ++l) {
    SumInputs(layers_[l], tape.layers[l].input.view(), factors[l].inputs);
    if (l < last) SumCotangents(ThroughRoots(tape, l, roots), factors[l].cotangents);
  }
  SumCotangents(roots, factors[last].cotangents);
}

void Mlp::KroneckerMarginal(const Tape& tape, const std::vector<KroneckerCovariance>& covariances,
                            MatrixRef covariance) const {
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const Tape::Layer& layer = tape.layers[l];
    const Matrix& basis = covariances[l].output_basis;
    Buffer::View t = layer.output.Resize(layers_[l].outputs, tape.examples);
    RotatedVariances(layers_[l], layer.input.view(), covariances[l], layer.product, t);
    if (l + 1 == layers_.size()) {
      SetRotatedBlocks(basis, t, layer.product, covariance);
      continue;
    }
    const Buffer::ConstView delta = layer.delta.view();
    layer.rotated.Resize(delta.rows(), delta.cols()).noalias() = basis.transpose() * delta;
    AddCovariance(tape, l, layer.rotated, covariance);
  }
}

void Mlp::UnitInputs(const Tape& tape, Index l, MatrixRef inputs) const {
  WithOnes(layer(l), tape.layers[static_cast<std::size_t>(l)].input.view(), inputs);
}

template <class Rows, class Visit>
void Mlp::ForEachHidden(Rows&& rows, const Visit& visit) const {
  Index first = 0;
  for (std::size_t l = 0; l + 1 < layers_.size(); ++l) {
    visit(l, rows.middleRows(first, layers_[l].outputs));
    first += layers_[l].outputs;
  }
}

void Mlp::UnitScores(Tape& tape, ConstMatrixRef u, MatrixRef scores) const {
  ForEachHidden(scores, [&](std::size_t l, auto rows) { rows = Combined(tape, l, u); });
  scores.bottomRows(tape.logits) = u;
}

void Mlp::UnitCurvatures(Tape& tape, ConstMatrixRef roots, MatrixRef curvatures) const {
  ForEachHidden(curvatures,
                [&](std::size_t l, auto rows) { rows = SquaresThroughRoots(tape, l, roots); });
  RowSquares(roots, curvatures.bottomRows(tape.logits));
}

void Mlp::UnitCovariance(const Tape& tape, ConstMatrixRef t, MatrixRef covariance) const {
  SetDiagonalBlocks(t.bottomRows(tape.logits), covariance);
  ForEachHidden(t, [&](std::size_t l, const auto& rows) {
    tape.layers[l].output.Resize(rows.rows(), tape.examples) = rows;
    AddCovariance(tape, l, tape.layers[l].delta, covariance);
  });
}

void Mlp::VjpSum(ConstVectorRef theta, Tape& tape, ConstMatrixRef u, VectorRef gradient) const {
  const std::size_t last = layers_.size() - 1;
  OuterSum(layers_[last], u, tape.layers[last].input.view(), gradient);
  for (std::size_t l = last; l-- > 0;) {
    Tape::Layer& layer = tape.layers[l];
    const Eigen::Map<const Matrix> weights = Weights(layers_[l + 1], theta);
    Buffer::View cotangent = layer.output.Resize(layers_[l].outputs, tape.examples);
    if (l + 1 == last) {
      cotangent.noalias() = weights.transpose() * u;
    } else {
      cotangent.noalias() = weights.transpose() * tape.layers[l + 1].output.view();
    }
    cotangent.array() *= layer.slope.view().array();
    OuterSum(layers_[l], cotangent, layer.input.view(), gradient);
  }
}

void Mlp::Jvp(ConstVectorRef theta, const Tape& tape, ConstVectorRef v, MatrixRef out) const {
  const std::size_t last = layers_.size() - 1;
  for (std::size_t l = 0; l < last; ++l) {
    const Tape::Layer& layer = tape.layers[l];
    Buffer::View tangent = layer.output.Resize(layers_[l].outputs, tape.examples);
    Affine(layers_[l], v, layer.input.view(), tangent);
    if (l > 0) {
      tangent.noalias() += Weights(layers_[l], theta) * tape.layers[l - 1].output.view();
    }
    tangent.array() *= layer.slope.view().array();
  }
  Affine(layers_[last], v, tape.layers[last].input.view(), out);
  out.noalias() += Weights(layers_[last], theta) * tape.layers[last - 1].output.view();
}

// VjpFactors and VjpSquares use that VjpSum leaves Δ_ℓ of the hidden layers in layer.output.
void Mlp::VjpFactors(ConstVectorRef theta, Tape& tape, ConstMatrixRef u, VectorRef gradient,
                     std::vector<KroneckerFactors>& factors) const {
  VjpSum(theta, tape, u, gradient);
  const std::size_t last = layers_.size() - 1;
  factors.resize(layers_.size());
  for (std::size_t l = 0; l <= last; ++l) {
    Tape::Layer& layer = tape.layers[l];
    SumInputs(layers_[l], layer.input.view(), factors[l].inputs);
    if (l < last) SumCotangents(layer.output.view(), factors[l].cotangents);
  }
  SumCotangents(u, factors[last].cotangents);
}

void Mlp::VjpSquares(ConstVectorRef theta, Tape& tape, ConstMatrixRef u, VectorRef gradient,
                     VectorRef squares) const {
  VjpSum(theta, tape, u, gradient);
  const std::size_t last = layers_.size() - 1;
  tape.layers[last].output.Resize(u.rows(), u.cols()) = u;
  for (std::size_t l = 0; l <= last; ++l) {
    Tape::Layer& layer = tape.layers[l];
    Buffer::View cotangent = layer.output.view();
    cotangent.array() = cotangent.array().square();
    layer.squares.OuterSum(layers_[l], cotangent, layer.input.view(), squares);
  }
}

void Mlp::VjpCurvature(ConstVectorRef theta, Tape& tape, ConstMatrixRef u, ConstMatrixRef roots,
                       VectorRef gradient, VectorRef diagonal) const {
  VjpSum(theta, tape, u, gradient);
  const std::size_t last = layers_.size() - 1;
  for (std::size_t l = 0; l <= last; ++l) {
    tape.layers[l].product.Resize(layers_[l].outputs, tape.examples);
  }
  const Index rank = tape.examples > 0 ? roots.cols() / tape.examples : 1;
  const Index together = std::max(Index{1}, kColumnsAtATime / rank);
  for (Index at = 0; at < tape.examples; at += together) {
    BackPropagateRoots(theta, tape, roots, at, std::min(together, tape.examples - at));
  }
  RowSquares(roots, tape.layers[last].product.view());
  for (std::size_t l = 0; l <= last; ++l) {
    Tape::Layer& layer = tape.layers[l];
    layer.squares.OuterSum(layers_[l], layer.product.view(), layer.input.view(), diagonal);
  }
}

// BackPropagateRoots computes, for the n examples i from `at` on, Δ_i G_i of every hidden layer,
// and column i of `product`, s_{ji} = Σ_r (Δ_i G_i)_{jr}². REQUIRES: `product` is fan_out × B.
void Mlp::BackPropagateRoots(ConstVectorRef theta, const Tape& tape, ConstMatrixRef roots, Index at,
                             Index n) const {
  const Index rank = roots.cols() / tape.examples;
  for (std::size_t l = layers_.size() - 1; l-- > 0;) {
    const Tape::Layer& layer = tape.layers[l];
    const Eigen::Map<const Matrix> weights = Weights(layers_[l + 1], theta);
    const Buffer::ConstView slope = layer.slope.view();
    Buffer::View squares = layer.product.view();
    Buffer::View through = layer.rotated.Resize(layers_[l].outputs, rank * n);
    if (l + 2 == layers_.size()) {
      through.noalias() = weights.transpose() * roots.middleCols(at * rank, n * rank);
    } else {
      through.noalias() = weights.transpose() * tape.layers[l + 1].rotated.view();
    }
    for (Index i = 0; i < n; ++i) {
      squares.col(at + i).setZero();
      for (Index column = i * rank; column < (i + 1) * rank; ++column) {
        through.col(column).array() *= slope.col(at + i).array();
        squares.col(at + i).array() += through.col(column).array().square();
      }
    }
  }
}

}  // namespace prequel
