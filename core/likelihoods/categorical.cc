#include "core/likelihoods/categorical.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/config/error.h"
#include "core/linalg/special.h"
#include "core/random/philox.h"

namespace prequel {
namespace {

// Half of an antithetic Latin hypercube: with −z, every column has one value in each of 2·count
// equally likely strata of N(0, 1).
Matrix HalfHypercube(Index count, Index dimensions) {
  Matrix normals(count, dimensions);
  Vector uniforms(2 * count);
  for (Index c = 0; c < dimensions; ++c) {
    FillUniform(Stream{0, 0, static_cast<std::uint32_t>(c)}, uniforms);
    for (Index k = 0; k < count; ++k) {
      const double level = 0.5 + (static_cast<double>(k) + 0.5) / static_cast<double>(2 * count);
      normals(k, c) = NormalQuantile(level) * (uniforms[k] < 0.5 ? -1 : 1);
    }
    for (Index k = count - 1; k > 0; --k) {  // Fisher and Yates
      const auto other = static_cast<Index>(uniforms[count + k] * static_cast<double>(k + 1));
      std::swap(normals(k, c), normals(other, c));
    }
  }
  return normals;
}

// Gives the rows' second moment matrix I, or at least a diagonal of 1 when they are too few.
void Whiten(Matrix& normals) {
  const auto count = static_cast<double>(normals.rows());
  if (2 * normals.cols() <= normals.rows()) {
    const Eigen::LLT<Matrix> cholesky(normals.transpose() * normals / count);
    cholesky.matrixL().transpose().solveInPlace<Eigen::OnTheRight>(normals);
    return;
  }
  for (Index c = 0; c < normals.cols(); ++c) {
    normals.col(c) *= std::sqrt(count) / normals.col(c).norm();
  }
}

// Overwrites the lower triangle of a positive semidefinite matrix by its Cholesky factor; a pivot
// that is rounding error gives a zero column.
void FactorSemidefinite(Matrix& a) {
  const Index size = a.rows();
  const double tolerance =
      static_cast<double>(size) * std::numeric_limits<double>::epsilon() * a.diagonal().maxCoeff();
  for (Index j = 0; j < size; ++j) {
    if (a(j, j) <= tolerance) {
      a.col(j).tail(size - j).setZero();
      continue;
    }
    a.col(j).tail(size - j) /= std::sqrt(a(j, j));
    for (Index k = j + 1; k < size; ++k) {
      a.col(k).tail(size - k) -= a(k, j) * a.col(j).tail(size - k);
    }
  }
}

// root (C × C−1) with root rootᵀ = E[diag p − p pᵀ], from w (lower triangle) = E[p pᵀ]. That matrix
// is the Laplacian of the graph with weights w_ij, i ≠ j, since its rows sum to 0; so its pivots
// are sums of weights, and elimination adds weights (Grassmann, Taksar, Heyman 1985): nothing
// cancels, and no pivot is negative. Destroys w.
void FactorLaplacian(Matrix& w, MatrixRef root) {
  const Index size = w.rows();
  for (Index j = 0; j + 1 < size; ++j) {
    const Index rest = size - j - 1;
    const double pivot = w.col(j).tail(rest).sum();
    root.col(j).setZero();
    if (pivot == 0) continue;
    const double deviation = std::sqrt(pivot);
    root(j, j) = deviation;
    root.col(j).tail(rest) = w.col(j).tail(rest) / -deviation;
    for (Index k = j + 1; k < size; ++k) {
      w.col(k).tail(size - k) += (w(k, j) / pivot) * w.col(j).tail(size - k);
    }
  }
}

// From rows of logits to rows of softmax: the left C of the C + 2 columns; the other two become
// log Σ_c e^{f_c} and scratch.
void SoftmaxRows(Matrix& draws) {
  const Index classes = draws.cols() - 2;
  Matrix::ColXpr top = draws.col(classes), sum = draws.col(classes + 1);
  top = draws.col(0);
  for (Index c = 1; c < classes; ++c) top = top.cwiseMax(draws.col(c));
  for (Index c = 0; c < classes; ++c) draws.col(c) -= top;
  draws.leftCols(classes).array() = draws.leftCols(classes).array().exp();
  sum = draws.col(0);
  for (Index c = 1; c < classes; ++c) sum += draws.col(c);
  for (Index c = 0; c < classes; ++c) draws.col(c).array() /= sum.array();
  top.array() += sum.array().log();
}

}  // namespace

absl::Status Categorical::Configure(Options& options, const TargetConfig& target) {
  const auto labels = static_cast<Index>(target.labels.size());
  classes_ = labels > 0 ? labels : target.num_classes;
  if (classes_ < 2 || classes_ > ConfigLimits::kMaxOutputs) {
    return FieldError(labels > 0 ? "config.target.labels" : "config.target.num_classes",
                      absl::StrCat("categorical needs between 2 and ", ConfigLimits::kMaxOutputs,
                                   " classes, got ", classes_));
  }
  target_problem_ = absl::StrCat("a class index from 0 to ", classes_ - 1);
  normals_ = HalfHypercube(kDraws / 2, classes_);
  Whiten(normals_);
  return options.Finish();
}

std::string_view Categorical::TargetProblem(double y) const {
  const bool is_class = y >= 0 && y < static_cast<double>(classes_) && y == std::floor(y);
  return is_class ? std::string_view() : target_problem_;
}

void Categorical::DrawLogits(const LogitMoments& moments, Index example, Matrix& draws,
                             Matrix& block) const {
  if (moments.exact()) {
    draws.resize(1, classes_ + 2);
    draws.leftCols(classes_) = moments.mean.col(example).transpose();
    return;
  }
  block = moments.covariance.middleCols(example * classes_, classes_);
  FactorSemidefinite(block);
  draws.resize(kDraws, classes_ + 2);
  for (Index c = 0; c < classes_; ++c) {
    const double mean = moments.mean(c, example);
    Eigen::Block<Matrix> half(draws, 0, c, kDraws / 2, 1);
    half = normals_.col(0) * block(c, 0);
    for (Index j = 1; j <= c; ++j) half += normals_.col(j) * block(c, j);
    draws.col(c).tail(kDraws / 2).array() = mean - half.array();
    half.array() += mean;
  }
}

void Categorical::Expand(const LogitMoments& moments, ConstMatrixRef targets, const NoiseLevel&,
                         LocalExpansion& expansion) const {
  const Index examples = moments.mean.cols(), rank = curvature_rank();
  expansion.score.resize(classes_, examples);
  expansion.root.resize(classes_, rank * examples);
  expansion.block.resize(classes_, classes_);
  expansion.log_density = 0;
  Matrix& draws = expansion.draws;
  for (Index i = 0; i < examples; ++i) {
    DrawLogits(moments, i, draws, expansion.block);
    SoftmaxRows(draws);
    const double weight = 1 / static_cast<double>(draws.rows());
    const auto label = static_cast<Index>(targets(0, i));
    double others = 0;  // 1 − E p_y, without cancellation
    for (Index c = 0; c < classes_; ++c) {
      const double probability = weight * draws.col(c).sum();
      expansion.score(c, i) = -probability;
      if (c != label) others += probability;
      for (Index j = 0; j < c; ++j) {
        expansion.block(c, j) = weight * draws.col(c).dot(draws.col(j));
      }
    }
    expansion.score(label, i) = others;
    expansion.log_density += moments.mean(label, i) - weight * draws.col(classes_).sum();
    FactorLaplacian(expansion.block, expansion.root.middleCols(i * rank, rank));
  }
}

void Categorical::Probabilities(const LogitMoments& moments, ClassPredictive& predictive) const {
  const Index examples = moments.mean.cols();
  predictive.probabilities.resize(classes_, examples);
  predictive.log_probabilities.resize(classes_, examples);
  predictive.expected_entropy.resize(examples);
  predictive.block.resize(classes_, classes_);
  Matrix& draws = predictive.draws;
  for (Index i = 0; i < examples; ++i) {
    DrawLogits(moments, i, draws, predictive.block);
    const double weight = 1 / static_cast<double>(draws.rows());
    Matrix::ColXpr top = draws.col(classes_), sum = draws.col(classes_ + 1);
    top = draws.col(0);
    for (Index c = 1; c < classes_; ++c) top = top.cwiseMax(draws.col(c));
    sum.setZero();
    for (Index c = 0; c < classes_; ++c) sum.array() += (draws.col(c) - top).array().exp();
    top.array() += sum.array().log();
    double entropy = 0;
    for (Index c = 0; c < classes_; ++c) {
      draws.col(c) -= top;  // log p_c
      const double highest = draws.col(c).maxCoeff();
      sum.array() = (draws.col(c).array() - highest).exp();
      const double mean = weight * sum.sum();
      predictive.log_probabilities(c, i) = highest + std::log(mean);
      predictive.probabilities(c, i) = std::exp(highest) * mean;
      entropy -= weight * std::exp(highest) * sum.dot(draws.col(c));
    }
    predictive.probabilities.col(i) /= predictive.probabilities.col(i).sum();
    predictive.expected_entropy[i] = std::max(entropy, 0.0);
  }
}

}  // namespace prequel
