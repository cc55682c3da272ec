#include "core/likelihoods/categorical.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "core/config/field_error.h"
#include "core/distributions/half_hypercube.h"
#include "core/linalg/special.h"

namespace prequel {
namespace {

// FactorSemidefinite overwrites the lower triangle of a positive semidefinite matrix by its
// Cholesky factor; a pivot that is rounding error gives a zero column.
void FactorSemidefinite(MatrixRef a) {
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

// FactorLaplacian makes root (C × C−1) with root rootᵀ = E[diag p − p pᵀ], from w (lower triangle)
// = E[p pᵀ]. That matrix is the Laplacian of the graph with weights w_ij, i ≠ j, since its rows sum
// to 0; so its pivots are sums of weights, and elimination adds weights (Grassmann, Taksar, Heyman
// 1985): nothing cancels, and no pivot is negative. Destroys w.
void FactorLaplacian(MatrixRef w, MatrixRef root) {
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

// SoftmaxRows turns rows of logits, the left C of the C + 2 columns, to rows of softmax; the other
// two columns become log Σ_c e^{f_c} and scratch.
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

Matrix::ConstColsBlockXpr CovarianceOf(const LogitMoments& moments, Index example) {
  const Index classes = moments.mean.rows();
  return moments.covariance.middleCols(example * classes, classes);
}

// ShareOfWide is a smooth step, so that no expectation jumps as a posterior moves.
double ShareOfWide(ConstMatrixRef covariance) {
  const double at =
      (WidthOf(covariance) - Categorical::kNarrow) / (Categorical::kWide - Categorical::kNarrow);
  if (!(at > 0)) return 0;
  return at < 1 ? at * at * (3 - 2 * at) : 1;
}

}  // namespace

absl::Status Categorical::Configure(Options& options, const TargetConfig& target) {
  options.Describe("classes");
  const auto labels = static_cast<Index>(target.labels.size());
  classes_ = labels > 0 ? labels : target.num_classes;
  if (classes_ < 2 || classes_ > ConfigLimits::kMaxOutputs) {
    return FieldError(labels > 0 ? "config.target.labels" : "config.target.num_classes",
                      absl::StrCat("categorical needs between 2 and ", ConfigLimits::kMaxOutputs,
                                   " classes, got ", classes_));
  }
  target_problem_ = absl::StrCat("a class index from 0 to ", classes_ - 1);
  normals_ = HalfHypercube(kDraws / 2, classes_);
  wide_ = WideSoftmax(classes_);
  diagonal_ = DiagonalSoftmax(classes_);
  return options.Finish();
}

std::string_view Categorical::TargetProblem(double y) const {
  const bool is_class = y >= 0 && y < static_cast<double>(classes_) && y == std::floor(y);
  return is_class ? std::string_view() : target_problem_;
}

Index Categorical::WideScratch() const {
  return std::max(wide_.scratch_size(), diagonal_.scratch_size());
}

double Categorical::Prepare(const LogitMoments& moments, Index example, Matrix& block) const {
  const double share = moments.exact() ? 0 : ShareOfWide(CovarianceOf(moments, example));
  const Index spare = share > 0 ? WideScratch() + classes_ * (classes_ + 2) : 0;
  const Index columns = classes_ + (spare + classes_ - 1) / classes_;
  if (block.rows() != classes_ || block.cols() < columns) block.resize(classes_, columns);
  return share;
}

void Categorical::DrawLogits(const LogitMoments& moments, Index example, Matrix& draws,
                             Matrix& block) const {
  if (moments.exact()) {
    draws.resize(1, classes_ + 2);
    draws.leftCols(classes_) = moments.mean.col(example).transpose();
    return;
  }
  draws.resize(kDraws, classes_ + 2);
  const auto covariance = CovarianceOf(moments, example);
  auto half = draws.topLeftCorner(kDraws / 2, classes_);
  if (DiagonalSoftmax::Covers(covariance)) {
    for (Index c = 0; c < classes_; ++c) {
      half.col(c) = normals_.col(c) * std::sqrt(covariance(c, c));
    }
  } else {
    auto factor = block.leftCols(classes_);
    factor = covariance;
    FactorSemidefinite(factor);
    half.noalias() = normals_ * factor.triangularView<Eigen::Lower>().transpose();
  }
  for (Index c = 0; c < classes_; ++c) {
    const double mean = moments.mean(c, example);
    draws.col(c).tail(kDraws / 2).array() = mean - half.col(c).array();
    half.col(c).array() += mean;
  }
}

double Categorical::ExpandByDraws(const LogitMoments& moments, Index example, Index label,
                                  LocalExpansion& expansion) const {
  Matrix& draws = expansion.draws;
  DrawLogits(moments, example, draws, expansion.block);
  SoftmaxRows(draws);
  const double weight = 1 / static_cast<double>(draws.rows());
  double others = 0;  // 1 − E p_y, without cancellation
  for (Index c = 0; c < classes_; ++c) {
    const double probability = weight * draws.col(c).sum();
    expansion.score(c, example) = -probability;
    if (c != label) others += probability;
  }
  auto moment = expansion.block.leftCols(classes_);
  moment.triangularView<Eigen::Lower>().setZero();
  moment.selfadjointView<Eigen::Lower>().rankUpdate(draws.leftCols(classes_).transpose(), weight);
  expansion.score(label, example) = others;
  return moments.mean(label, example) - weight * draws.col(classes_).sum();
}

double Categorical::MixWide(const LogitMoments& moments, Index example, Index label, double share,
                            double log_density, LocalExpansion& expansion) const {
  double* const spare = expansion.block.data() + classes_ * classes_;
  Eigen::Map<Matrix> moment(spare, classes_, classes_);
  Eigen::Map<Vector> score(moment.data() + moment.size(), classes_);
  Eigen::Map<Vector> variances(score.data() + classes_, classes_);
  Eigen::Map<Vector> scratch(variances.data() + classes_, WideScratch());
  const Matrix::ConstColXpr mean = moments.mean.col(example);
  const Matrix::ConstColsBlockXpr covariance = CovarianceOf(moments, example);
  double of_wide = 0;
  if (DiagonalSoftmax::Covers(covariance)) {
    variances = covariance.diagonal();
    diagonal_.Expand(mean, variances, label, scratch, &of_wide, score, moment);
  } else {
    wide_.Expand(mean, covariance, label, scratch, &of_wide, score);
    wide_.SecondMoment(mean, covariance, scratch, moment);
  }
  const double rest = 1 - share;
  if (rest == 0) {
    expansion.score.col(example) = score;
    expansion.block.leftCols(classes_).triangularView<Eigen::StrictlyLower>() = moment;
    return of_wide;
  }
  expansion.score.col(example) = rest * expansion.score.col(example) + share * score;
  expansion.block.leftCols(classes_).triangularView<Eigen::StrictlyLower>() =
      rest * expansion.block.leftCols(classes_) + share * moment;
  return rest * log_density + share * of_wide;
}

void Categorical::Expand(const LogitMoments& moments, ConstMatrixRef targets, const NoiseLevel&,
                         LocalExpansion& expansion) const {
  const Index examples = moments.mean.cols(), rank = curvature_rank();
  expansion.score.resize(classes_, examples);
  expansion.root.resize(classes_, rank * examples);
  expansion.log_density = 0;
  for (Index i = 0; i < examples; ++i) {
    const auto label = static_cast<Index>(targets(0, i));
    const double share = Prepare(moments, i, expansion.block);
    double log_density = 0;
    if (share < 1) log_density = ExpandByDraws(moments, i, label, expansion);
    if (share > 0) log_density = MixWide(moments, i, label, share, log_density, expansion);
    expansion.log_density += expansion.weight(i) * log_density;
    FactorLaplacian(expansion.block.leftCols(classes_), expansion.root.middleCols(i * rank, rank));
  }
}

void Categorical::ProbabilitiesByDraws(const LogitMoments& moments, Index example,
                                       ClassPredictive& predictive) const {
  Matrix& draws = predictive.draws;
  DrawLogits(moments, example, draws, predictive.block);
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
    predictive.log_probabilities(c, example) = highest + std::log(mean);
    predictive.probabilities(c, example) = std::exp(highest) * mean;
    entropy -= weight * std::exp(highest) * sum.dot(draws.col(c));
  }
  predictive.probabilities.col(example) /= predictive.probabilities.col(example).sum();
  predictive.expected_entropy[example] = std::max(entropy, 0.0);
}

void Categorical::MixWide(const LogitMoments& moments, Index example, double share,
                          ClassPredictive& predictive) const {
  double* const spare = predictive.block.data() + classes_ * classes_;
  Eigen::Map<Vector> log_probabilities(spare, classes_);
  Eigen::Map<Vector> variances(spare + classes_, classes_);
  Eigen::Map<Vector> scratch(variances.data() + classes_, WideScratch());
  const Matrix::ConstColXpr mean = moments.mean.col(example);
  const Matrix::ConstColsBlockXpr covariance = CovarianceOf(moments, example);
  double entropy = 0;
  if (DiagonalSoftmax::Covers(covariance)) {
    variances = covariance.diagonal();
    diagonal_.Probabilities(mean, variances, scratch, log_probabilities, &entropy);
  } else {
    wide_.Probabilities(mean, covariance, scratch, log_probabilities, &entropy);
  }
  const double of_mean = -log_probabilities.array().exp().matrix().dot(log_probabilities);
  entropy = std::clamp(entropy, 0.0, std::max(of_mean, 0.0));  // Jensen; draws may miss it
  if (share == 1) {
    predictive.log_probabilities.col(example) = log_probabilities;
    predictive.probabilities.col(example) = log_probabilities.array().exp();
    predictive.expected_entropy[example] = entropy;
    return;
  }
  for (Index c = 0; c < classes_; ++c) {
    const double narrow = std::log1p(-share) + predictive.log_probabilities(c, example);
    const double wide = std::log(share) + log_probabilities[c];
    predictive.log_probabilities(c, example) = wide + Softplus(narrow - wide);
  }
  predictive.probabilities.col(example) =
      (1 - share) * predictive.probabilities.col(example).array() +
      share * log_probabilities.array().exp();
  predictive.expected_entropy[example] =
      (1 - share) * predictive.expected_entropy[example] + share * entropy;
}

void Categorical::Probabilities(const LogitMoments& moments, ClassPredictive& predictive) const {
  const Index examples = moments.mean.cols();
  predictive.probabilities.resize(classes_, examples);
  predictive.log_probabilities.resize(classes_, examples);
  predictive.expected_entropy.resize(examples);
  for (Index i = 0; i < examples; ++i) {
    const double share = Prepare(moments, i, predictive.block);
    if (share < 1) ProbabilitiesByDraws(moments, i, predictive);
    if (share > 0) MixWide(moments, i, share, predictive);
  }
}

}  // namespace prequel
