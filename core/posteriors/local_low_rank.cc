#include "core/posteriors/local_low_rank.h"

#include <algorithm>
#include <cmath>

#include "core/linalg/cholesky.h"
#include "core/posteriors/logit_blocks.h"

namespace prequel {

absl::Status LocalLowRank::Begin(const LowRankGaussian& prior, Index columns, bool /*draws*/) {
  prior_ = &prior;
  columns_ = columns;
  compression_ = Compression();
  current_ = accepted_ = kPrior;
  mean_ = prior.mean;
  offset_.setZero(prior.size());
  dual_.setZero(prior.size());
  trial_offset_ = offset_;
  trial_dual_ = dual_;
  now().columns.resize(prior.size(), 0);
  return now().precision.Factor(prior.diagonal, prior.factor);
}

// Project makes T by columns of W̃: row k is J (d⁻¹ w̃_k); then −(C⁻¹ T)ᵀ (C⁻¹ T) by examples.
void LocalLowRank::Project(Expansion& expansion) {
  const Woodbury& precision = now().precision;
  const Index logits = expansion.num_logits();
  tangent_ = precision.deviation().cwiseAbs2();
  expansion.MarginalCovariance(tangent_);
  tangents_.resize(precision.rank(), logits * expansion.examples());
  forward_.resize(logits, expansion.examples());
  for (Index k = 0; k < precision.rank(); ++k) {
    tangent_ = precision.deviation().cwiseProduct(precision.scaled().col(k));
    expansion.Jvp(mean_, tangent_, forward_);
    tangents_.row(k) = forward_.reshaped().transpose();
  }
  precision.factor().triangularView<Eigen::Lower>().solveInPlace(tangents_);
  Matrix& covariance = expansion.moments().covariance;
  BlockProducts(tangents_, tangents_, logits, -1, true, covariance);
  // A variance lost to cancellation is nearly 0, not less.
  for (Index j = 0; j < covariance.cols(); ++j) {
    double& variance = covariance(j % logits, j);
    variance = std::max(variance, 0.0);
  }
}

void LocalLowRank::StartCurve() {
  accepted_ = current_;
  current_ = current_ == 0 ? 1 : 0;
  now().columns.resize(prior_->size(), prior_->rank() + columns_);
  now().columns.leftCols(prior_->rank()) = prior_->factor;
  now().added = 0;
  gradient_.setZero(prior_->size());
}

void LocalLowRank::AddCurve(Expansion& expansion, double weight) {
  expansion.Gradient(increment_);
  gradient_ += weight * increment_;
  expansion.Jacobian(jacobian_);
  const Matrix& roots = expansion.local().root;
  Curvature& curvature = now();
  ScaleByRoots(jacobian_, roots, std::sqrt(weight),
               curvature.columns.middleCols(prior_->rank() + curvature.added, roots.cols()));
  curvature.added += roots.cols();
}

absl::Status LocalLowRank::SolveCurve() {
  Curvature& curvature = now();
  if (curvature.added > prior_->size()) {
    scratch_ = curvature.root();
    Condense(scratch_);
    curvature.added = scratch_.cols();
    curvature.columns.resize(prior_->size(), prior_->rank() + curvature.added);
    curvature.columns << prior_->factor, scratch_;
  }
  absl::Status status = curvature.precision.Factor(prior_->diagonal, curvature.columns);
  if (!status.ok()) return absl::InternalError("the curvature of the minibatch is not finite");
  const auto count = static_cast<double>(curvature.added);
  const auto inner =
      curvature.precision.factor().bottomRightCorner(curvature.added, curvature.added);
  curvature.covariance_kl = 0.5 * (TraceOfInverse(inner, scratch_) - count + LogDeterminant(inner));
  SolveDirection();
  return absl::OkStatus();
}

void LocalLowRank::KeepCurve() {
  current_ = accepted_;
  SolveDirection();
}

// SolveDirection finds, with v = J r − Λ δ, direction = Λ_q⁻¹ v, and Λ · direction = v − J_G J_Gᵀ
// direction.
void LocalLowRank::SolveDirection() {
  Curvature& curvature = now();
  dual_direction_ = gradient_ - dual_;
  curvature.precision.Solve(dual_direction_, direction_);
  weights_.resize(curvature.added);
  weights_.noalias() = curvature.root().transpose() * direction_;
  dual_direction_.noalias() -= curvature.root() * weights_;
}

void LocalLowRank::Move(double rho) {
  trial_offset_ = offset_ + rho * direction_;
  trial_dual_ = dual_ + rho * dual_direction_;
  mean_ = prior_->mean + trial_offset_;
}

void LocalLowRank::Accept() {
  offset_ = trial_offset_;
  dual_ = trial_dual_;
}

void LocalLowRank::Revert() {
  current_ = accepted_;
  trial_offset_ = offset_;
  trial_dual_ = dual_;
  mean_ = prior_->mean + offset_;
}

void LocalLowRank::Draw(const Stream& stream, bool negate, Vector& theta) {
  Woodbury& precision = now().precision;
  normal_.resize(precision.size() + precision.rank());
  FillNormal(stream, normal_);
  precision.Deviate(normal_, theta);
  if (negate) theta = -theta;
  theta += mean_;
}

absl::Status LocalLowRank::Commit(LowRankGaussian& next) {
  next.mean = mean_;
  if (current_ == kPrior) {
    next.diagonal = prior_->diagonal;
    next.factor = prior_->factor;
  } else {
    compressor_.Compress(compression_, prior_->diagonal, now().columns, prior_->rank(),
                         next.diagonal, next.factor);
  }
  if (!next.IsFinite()) {
    return absl::InternalError("the posterior is not finite after this minibatch");
  }
  return absl::OkStatus();
}

}  // namespace prequel
