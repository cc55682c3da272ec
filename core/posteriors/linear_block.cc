#include "core/posteriors/linear_block.h"

#include <algorithm>

#include "core/linalg/cholesky.h"
#include "core/posteriors/full_gaussian.h"

namespace prequel {
namespace {

constexpr Index kLeastWeights = 64;
constexpr Index kStrip = 64;

// InverseByStrips makes S⁻¹ from the factor of S, both triangles: n³/3 for C⁻¹ and as much for C⁻ᵀ
// C⁻¹, by strips of columns, of which only what is on and below the diagonal is worked out.
void InverseByStrips(const Matrix& factor, Matrix& strip, Matrix& inverse) {
  const Index size = factor.rows();
  inverse.resize(size, size);
  strip.resize(size, kStrip);
  for (Index start = 0; start < size; start += kStrip) {
    const Index rows = size - start, columns = std::min(kStrip, rows);
    Eigen::Block<Matrix> part = strip.topLeftCorner(rows, columns);
    const auto corner = factor.bottomRightCorner(rows, rows);
    part.setIdentity();
    corner.triangularView<Eigen::Lower>().solveInPlace(part);
    corner.transpose().triangularView<Eigen::Upper>().solveInPlace(part);
    inverse.block(start, start, rows, columns) = part;
    inverse.block(start, start, columns, rows) = part.transpose();
  }
}

// ByInputs views a D × D matrix of d × d blocks with the columns of each column of blocks as one
// column.
Eigen::Map<const Matrix> ByInputs(const Matrix& matrix, Index inputs) {
  return {matrix.data(), matrix.size() / inputs, inputs};
}

}  // namespace

bool LinearBlock::Pays(Index logits, Index inputs, Index examples, Index columns) {
  const auto c = static_cast<double>(logits), d = static_cast<double>(inputs);
  const auto b = static_cast<double>(examples), n = static_cast<double>(columns);
  const double size = c * d;
  if (logits == 1 || size < static_cast<double>(kLeastWeights)) return false;
  const double dense =
      2 * b * c * size * size +
      std::min(2 * n * n * size + n * size * size, n * size * size + 8 * size * size * size / 3);
  const double rounds = columns > 0 ? 2 * b * size * size + 1.5 * size * size * size : 0;
  return 2 * b * size * size + rounds < dense;
}

void LinearBlock::Begin(const Matrix& covariance) {
  prior_ = &covariance;
  symmetric_prior_ = covariance.selfadjointView<Eigen::Lower>();
  has_precision_ = false;
  curvature_[0].present = curvature_[1].present = false;
  offset_.setZero(size());
  dual_.setZero(size());
  trial_offset_ = offset_;
  trial_dual_ = dual_;
}

void LinearBlock::Attach(const Expansion& expansion) { expansion.UnitInputs(0, inputs_); }

// Project makes T = [Σ_l x_il P_kl]_k,c,c' for every example, then J_i P J_iᵀ = Σ_k x_ik T_k.
void LinearBlock::Project(Index logits, Matrix& covariance) {
  const Index inputs = inputs_.rows(), examples = inputs_.cols();
  products_.resize(size() * logits, examples);
  products_.noalias() = ByInputs(this->covariance(), inputs) * inputs_;
  covariance.resize(logits, logits * examples);
  for (Index i = 0; i < examples; ++i) {
    for (Index c = 0; c < logits; ++c) {
      const Eigen::Map<const Matrix> of(&products_(c * size(), i), logits, inputs);
      covariance.col(i * logits + c).noalias() = of * inputs_.col(i);
    }
  }
}

void LinearBlock::StartCurve() {
  if (!has_precision_) {
    has_precision_ = true;
    prior_status_ = FactorCovariance(*prior_, precision_);
    prior_log_det_ = -LogDeterminant(precision_);
    InverseByStrips(precision_, strip_, prior_precision_);
  }
  accepted_ = current_;
  current_ ^= 1;
  now().present = true;
  precision_ = prior_precision_;
  gradient_.setZero(size());
}

void LinearBlock::AddCurve(Expansion& expansion, double weight) {
  expansion.Gradient(increment_);
  gradient_ += weight * increment_;
  const Matrix& roots = expansion.local().root;
  const Index logits = roots.rows(), inputs = inputs_.rows(), examples = inputs_.cols();
  const Index rank = roots.cols() / examples;
  products_.resize(size() * logits, examples);
  curvatures_.resize(logits, logits);
  for (Index i = 0; i < examples; ++i) {
    const auto root = roots.middleCols(i * rank, rank);
    curvatures_.noalias() = weight * (root * root.transpose());
    for (Index c = 0; c < logits; ++c) {
      Eigen::Map<Matrix> of(&products_(c * size(), i), logits, inputs);
      of.noalias() = curvatures_.col(c) * inputs_.col(i).transpose();
    }
  }
  Eigen::Map<Matrix>(precision_.data(), precision_.size() / inputs, inputs).noalias() +=
      products_ * inputs_.transpose();
}

// 2 KL of the covariances = tr(P⁻¹ P_q) − D + log |Λ_q| − log |P⁻¹|.
absl::Status LinearBlock::SolveCurve() {
  if (!prior_status_.ok()) return prior_status_;
  Curvature& curvature = now();
  if (!FactorInPlace(precision_)) {
    return absl::InternalError("the curvature of the minibatch is not finite");
  }
  InverseByStrips(precision_, strip_, curvature.covariance);
  const double trace = prior_precision_.cwiseProduct(curvature.covariance).sum();
  curvature.kl =
      0.5 * (trace - static_cast<double>(size()) + LogDeterminant(precision_) - prior_log_det_);
  SolveDirection();
  return absl::OkStatus();
}

void LinearBlock::KeepCurve() {
  current_ = accepted_;
  SolveDirection();
}

// direction = P_q (J r − P⁻¹ δ).
void LinearBlock::SolveDirection() {
  increment_ = gradient_ - dual_;
  direction_.resize(size());
  dual_direction_.resize(size());
  direction_.noalias() = covariance() * increment_;
  dual_direction_.noalias() = prior_precision_ * direction_;
}

void LinearBlock::Move(double rho) {
  trial_offset_ = offset_ + rho * direction_;
  trial_dual_ = dual_ + rho * dual_direction_;
}

void LinearBlock::Accept() {
  offset_.swap(trial_offset_);
  dual_.swap(trial_dual_);
  trial_offset_ = offset_;
  trial_dual_ = dual_;
}

void LinearBlock::Revert() {
  current_ = accepted_;
  trial_offset_ = offset_;
  trial_dual_ = dual_;
}

double LinearBlock::kl() const { return mean_kl() + (now().present ? now().kl : 0); }

void LinearBlock::Commit(Matrix& covariance) { covariance = this->covariance(); }

}  // namespace prequel
