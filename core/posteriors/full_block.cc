#include "core/posteriors/full_block.h"

#include <cmath>

#include "core/linalg/cholesky.h"
#include "core/posteriors/full_gaussian.h"
#include "core/posteriors/logit_blocks.h"

namespace prequel {

absl::Status FullBlock::Begin(const Matrix& covariance, Index columns, bool draws) {
  prior_ = &covariance;
  // The form by examples costs 3nD² + 2n²D + n³/3, by parameters 2nD² + 8D³/3: equal near n = D.
  by_parameters_ = draws || columns > size();
  curvature_[0].present = curvature_[1].present = false;
  offset_.setZero(size());
  dual_.setZero(size());
  trial_offset_ = offset_;
  trial_dual_ = dual_;
  return by_parameters_ ? FactorCovariance(covariance, prior_factor_) : absl::OkStatus();
}

void FullBlock::Attach() {
  projected_.resize(jacobian_.rows(), jacobian_.cols());
  if (by_parameters_) {
    projected_.noalias() = prior_factor_.transpose().triangularView<Eigen::Upper>() * jacobian_;
  } else {
    projected_.noalias() = prior_->selfadjointView<Eigen::Lower>() * jacobian_;
  }
}

void FullBlock::Project(Index logits, bool accumulate, Matrix& covariance) {
  if (!now().present) {
    BlockProducts(by_parameters_ ? projected_ : jacobian_, projected_, logits, 1, accumulate,
                  covariance);
    return;
  }
  if (by_parameters_) {
    whitened_ = projected_;
    now().factor.triangularView<Eigen::Lower>().solveInPlace(whitened_);
    BlockProducts(whitened_, whitened_, logits, 1, accumulate, covariance);
    return;
  }
  BlockProducts(jacobian_, projected_, logits, 1, accumulate, covariance);
  whitened_.resize(now().gain.cols(), jacobian_.cols());
  whitened_.noalias() = now().gain.transpose() * jacobian_;
  now().factor.triangularView<Eigen::Lower>().solveInPlace(whitened_);
  BlockProducts(whitened_, whitened_, logits, -1, true, covariance);
}

void FullBlock::StartCurve() {
  accepted_ = current_;
  current_ ^= 1;
  now().present = true;
  gradient_.setZero(size());
  projected_gradient_.setZero(size());
  if (by_parameters_) now().factor.setIdentity(size(), size());
}

void FullBlock::AddCurve(const LocalExpansion& local, double weight) {
  const Eigen::Map<const Vector> score(local.score.data(), local.score.size());
  projected_gradient_.noalias() += weight * (projected_ * score);
  Curvature& curvature = now();
  if (by_parameters_) {
    scaled_.resize(projected_.rows(), local.root.cols());
    ScaleByRoots(projected_, local.root, std::sqrt(weight), scaled_);
    curvature.factor.selfadjointView<Eigen::Lower>().rankUpdate(scaled_);
    return;
  }
  gradient_.noalias() += weight * (jacobian_ * score);
  for (Matrix* columns : {&curvature.root, &curvature.gain}) {
    columns->resize(jacobian_.rows(), local.root.cols());
  }
  ScaleByRoots(jacobian_, local.root, 1, curvature.root);
  ScaleByRoots(projected_, local.root, 1, curvature.gain);
  curvature.factor.resize(curvature.root.cols(), curvature.root.cols());
  curvature.factor.triangularView<Eigen::Lower>() = curvature.root.transpose() * curvature.gain;
  curvature.factor.diagonal().array() += 1;
}

absl::Status FullBlock::SolveCurve() {
  Curvature& curvature = now();
  if (!FactorInPlace(curvature.factor)) {
    return absl::InternalError("the curvature of the minibatch is not finite");
  }
  curvature.log_det = LogDeterminant(curvature.factor);
  curvature.trace_inverse = TraceOfInverse(curvature.factor, inverse_);
  SolveDirection();
  return absl::OkStatus();
}

void FullBlock::KeepCurve() {
  current_ = accepted_;
  SolveDirection();
}

// The direction by examples, with v = J r − P⁻¹δ and w = S⁻¹ J_Gᵀ P v, is P v − K w, and its dual
// P⁻¹·direction = v − J_G w. By parameters, in u: direction_u = M⁻¹ (Lᵀ J r − u).
void FullBlock::SolveDirection() {
  const Curvature& curvature = now();
  dual_direction_ = (by_parameters_ ? projected_gradient_ : gradient_) - dual_;
  if (!by_parameters_) direction_ = projected_gradient_ - offset_;
  if (curvature.present) {
    Vector& solved = by_parameters_ ? dual_direction_ : weights_;
    if (!by_parameters_) {
      weights_.resize(curvature.root.cols());
      weights_.noalias() = curvature.root.transpose() * direction_;
    }
    curvature.factor.triangularView<Eigen::Lower>().solveInPlace(solved);
    curvature.factor.transpose().triangularView<Eigen::Upper>().solveInPlace(solved);
    if (!by_parameters_) {
      direction_.noalias() -= curvature.gain * weights_;
      dual_direction_.noalias() -= curvature.root * weights_;
    }
  }
  if (by_parameters_) {
    direction_.resize(dual_direction_.size());
    direction_.noalias() = prior_factor_.triangularView<Eigen::Lower>() * dual_direction_;
  }
}

void FullBlock::Move(double rho) {
  trial_offset_ = offset_ + rho * direction_;
  trial_dual_ = dual_ + rho * dual_direction_;
}

void FullBlock::Accept() {
  offset_.swap(trial_offset_);
  dual_.swap(trial_dual_);
  trial_offset_ = offset_;
  trial_dual_ = dual_;
}

void FullBlock::Revert() {
  current_ = accepted_;
  trial_offset_ = offset_;
  trial_dual_ = dual_;
}

double FullBlock::mean_kl() const {
  return 0.5 * (by_parameters_ ? trial_dual_.squaredNorm() : trial_offset_.dot(trial_dual_));
}

// The trace tr(P⁻¹ P_q) − D is tr(S⁻¹) − n by examples, and tr(M⁻¹) − D by parameters.
double FullBlock::kl() const {
  if (!now().present) return mean_kl();
  const auto count = static_cast<double>(now().factor.rows());
  return mean_kl() + 0.5 * (now().trace_inverse - count + now().log_det);
}

void FullBlock::Deviate(VectorRef z, VectorRef theta) const {
  if (now().present) now().factor.transpose().triangularView<Eigen::Upper>().solveInPlace(z);
  theta.noalias() += prior_factor_.triangularView<Eigen::Lower>() * z;
}

void FullBlock::Commit(Matrix& covariance) {
  Curvature& curvature = now();
  if (!curvature.present) {
    covariance = *prior_;
    return;
  }
  if (by_parameters_) {
    root_ = prior_factor_.transpose().triangularView<Eigen::Upper>();
    curvature.factor.triangularView<Eigen::Lower>().solveInPlace(root_);
    covariance.resize(size(), size());
    covariance.triangularView<Eigen::Lower>() = root_.transpose() * root_;
    return;
  }
  curvature.factor.transpose().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(
      curvature.gain);
  covariance = *prior_;
  covariance.selfadjointView<Eigen::Lower>().rankUpdate(curvature.gain, -1);
}

}  // namespace prequel
