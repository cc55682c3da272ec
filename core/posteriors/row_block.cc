#include "core/posteriors/row_block.h"

#include "core/linalg/cholesky.h"

namespace prequel {

void RowBlock::Begin(const Matrix& covariance) {
  prior_ = &covariance;
  curvature_[0].present = curvature_[1].present = false;
  offset_.setZero(size());
  mean_kl_ = 0;
}

void RowBlock::Attach(const Matrix& inputs) {
  projected_.resize(inputs.rows(), inputs.cols());
  projected_.noalias() = prior_->selfadjointView<Eigen::Lower>() * inputs;
  inputs_ = &inputs;
  variances_ = inputs.cwiseProduct(projected_).colwise().sum();
  dual_.setZero(inputs.cols());
  trial_ = dual_;
  has_gram_ = false;
}

void RowBlock::Project(Matrix& variance) const {
  variance = (now().present ? now().variances : variances_).transpose();
}

void RowBlock::StartCurve() {
  accepted_ = current_;
  current_ ^= 1;
  now().present = true;
  if (has_gram_) return;
  gram_.resize(projected_.cols(), projected_.cols());
  gram_.noalias() = inputs_->transpose() * projected_;
  has_gram_ = true;
}

void RowBlock::AddCurve(const Matrix& curvatures, const Matrix& scores) {
  Curvature& curvature = now();
  scores_ = scores.transpose();
  curvature.curvatures = curvatures.transpose();
  curvature.roots = curvature.curvatures.cwiseSqrt();
}

absl::Status RowBlock::SolveCurve() {
  Curvature& curvature = now();
  whitened_.resize(gram_.rows(), gram_.cols());
  whitened_ = curvature.roots.asDiagonal() * gram_;
  curvature.factor.resize(gram_.rows(), gram_.cols());
  curvature.factor = whitened_ * curvature.roots.asDiagonal();
  curvature.factor.diagonal().array() += 1;
  if (!FactorInPlace(curvature.factor)) {
    return absl::InternalError("the curvature of the minibatch is not finite");
  }
  curvature.log_det = LogDeterminant(curvature.factor);
  curvature.factor.triangularView<Eigen::Lower>().solveInPlace(whitened_);
  curvature.variances = variances_ - whitened_.colwise().squaredNorm().transpose();
  SolveDirection();
  return absl::OkStatus();
}

void RowBlock::KeepCurve() {
  current_ = accepted_;
  SolveDirection();
}

void RowBlock::SolveDirection() {
  const Curvature& curvature = now();
  direction_ = scores_ - dual_;
  if (!curvature.present) return;
  weights_.resize(direction_.size());
  weights_.noalias() = gram_ * direction_;
  weights_.array() *= curvature.roots.array();
  curvature.factor.triangularView<Eigen::Lower>().solveInPlace(weights_);
  curvature.factor.transpose().triangularView<Eigen::Upper>().solveInPlace(weights_);
  direction_.array() -= curvature.roots.array() * weights_.array();
}

void RowBlock::SetOffset() {
  offset_.noalias() = projected_ * trial_;
  weights_.resize(trial_.size());
  weights_.noalias() = gram_ * trial_;
  mean_kl_ = 0.5 * trial_.dot(weights_);
}

void RowBlock::Move(double rho) {
  trial_ = dual_ + rho * direction_;
  SetOffset();
}

void RowBlock::Accept() { dual_ = trial_; }

void RowBlock::Revert() {
  current_ = accepted_;
  trial_ = dual_;
  SetOffset();
}

double RowBlock::kl() const {
  if (!now().present) return mean_kl_;
  return mean_kl_ + 0.5 * (now().log_det - now().curvatures.dot(now().variances));
}

void RowBlock::Commit(Matrix& covariance) {
  Curvature& curvature = now();
  covariance = *prior_;
  if (!curvature.present) return;
  projected_ = projected_ * curvature.roots.asDiagonal();
  curvature.factor.transpose().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(
      projected_);
  covariance.selfadjointView<Eigen::Lower>().rankUpdate(projected_, -1);
}

}  // namespace prequel
