#include "core/posteriors/local_low_rank_hidden.h"

#include <numeric>

#include "core/linalg/cholesky.h"
#include "core/posteriors/logit_blocks.h"
#include "core/posteriors/low_rank_gaussian.h"

namespace prequel {

absl::Status LocalLowRankHidden::Begin(const LowRankHiddenGaussian& prior, Index columns,
                                       bool /*draws*/) {
  prior_ = &prior;
  num_columns_ = columns;
  mean_ = prior.mean;
  last_.resize(static_cast<std::size_t>(prior.last()));
  std::iota(last_.begin(), last_.end(), prior.hidden());
  variances_.setZero(prior.size());
  variances_.head(prior.hidden()) = prior.floor;
  tangent_.setZero(prior.size());
  kl_ = 0;
  return absl::OkStatus();
}

absl::Status LocalLowRankHidden::CheckRoom() const {
  return CheckColumns(prior_->size(), num_columns_);
}

void LocalLowRankHidden::Project(Expansion& expansion) {
  const Index logits = expansion.num_logits();
  Matrix& covariance = expansion.moments().covariance;
  expansion.MarginalCovariance(variances_);
  tangents_.resize(prior_->rank(), logits * expansion.examples());
  forward_.resize(logits, expansion.examples());
  for (Index k = 0; k < prior_->rank(); ++k) {
    tangent_.head(prior_->hidden()) = prior_->factor.col(k);
    expansion.Jvp(mean_, tangent_, forward_);
    tangents_.row(k) = forward_.reshaped().transpose();
  }
  BlockProducts(tangents_, tangents_, logits, 1, true, covariance);
  expansion.JacobianRows(last_, last_jacobian_);
  last_projected_.resize(last_jacobian_.rows(), last_jacobian_.cols());
  last_projected_.noalias() = prior_->covariance.selfadjointView<Eigen::Lower>() * last_jacobian_;
  BlockProducts(last_jacobian_, last_projected_, logits, 1, true, covariance);
}

void LocalLowRankHidden::Multiply(ConstMatrixRef v, MatrixRef out) {
  const Index hidden = prior_->hidden(), last = prior_->last();
  rotated_.resize(prior_->rank(), v.cols());
  rotated_.noalias() = prior_->factor.transpose() * v.topRows(hidden);
  out.topRows(hidden) = prior_->floor.asDiagonal() * v.topRows(hidden);
  out.topRows(hidden).noalias() += prior_->factor * rotated_;
  out.bottomRows(last).noalias() =
      prior_->covariance.selfadjointView<Eigen::Lower>() * v.bottomRows(last);
}

// Step finds, with g = Σ_i J_iᵀ E[r_i], δ = Λ⁻¹ g = P (g − J_G w) for w = S⁻¹ J_Gᵀ P g, and
//   2 KL = tr(S⁻¹) − n + log|S| + δᵀ (g − J_G w)
absl::Status LocalLowRankHidden::Step(Expansion& expansion) {
  expansion.Gradient(gradient_);
  expansion.Jacobian(jacobian_);
  const Matrix& roots = expansion.local().root;
  root_.resize(jacobian_.rows(), roots.cols());
  ScaleByRoots(jacobian_, roots, 1, root_);
  Condense(root_);
  image_.resize(root_.rows(), root_.cols());
  Multiply(root_, image_);
  const auto n = static_cast<double>(root_.cols());
  factor_.resize(root_.cols(), root_.cols());
  factor_.noalias() = root_.transpose() * image_;
  factor_.diagonal().array() += 1;
  if (!FactorInPlace(factor_)) {
    return absl::InternalError("the curvature of the minibatch is not finite");
  }
  weights_.resize(root_.cols());
  weights_.noalias() = image_.transpose() * gradient_;
  factor_.triangularView<Eigen::Lower>().solveInPlace(weights_);
  factor_.transpose().triangularView<Eigen::Upper>().solveInPlace(weights_);
  gradient_.noalias() -= root_ * weights_;
  moved_.resize(gradient_.size());
  Multiply(gradient_, moved_);
  mean_ = prior_->mean + moved_;
  kl_ =
      0.5 * (TraceOfInverse(factor_, strip_) - n + LogDeterminant(factor_) + moved_.dot(gradient_));
  return absl::OkStatus();
}

absl::Status LocalLowRankHidden::Commit(LowRankHiddenGaussian& next) {
  const Index hidden = prior_->hidden(), last = prior_->last(), rank = prior_->rank();
  last_projected_ = image_.bottomRows(last);
  factor_.transpose().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(image_);
  factor_.triangularView<Eigen::Lower>().solveInPlace<Eigen::OnTheRight>(image_);
  next.mean = mean_;
  next.floor = prior_->floor;

  // A P_ℓ Aᵀ + K_ℓ K_ℓᵀ = A P_ℓ + (K_ℓ − A P_ℓ J_{G,ℓ}) K_ℓᵀ with
  // A P_ℓ = P_ℓ − K_ℓ (P_ℓ J_{G,ℓ})ᵀ.
  const auto gain = image_.bottomRows(last);
  next.covariance = prior_->covariance.selfadjointView<Eigen::Lower>();
  next.covariance.noalias() -= gain * last_projected_.transpose();
  last_projected_ = gain;
  last_projected_.noalias() -= next.covariance * root_.bottomRows(last);
  next.covariance.noalias() += last_projected_ * gain.transpose();

  if (rank == 0) {
    next.factor = prior_->factor;
  } else {
    columns_.resize(hidden, rank + image_.cols());
    columns_.leftCols(rank) = prior_->factor;
    crossed_.resize(image_.cols(), rank);
    crossed_.noalias() = root_.topRows(hidden).transpose() * prior_->factor;
    columns_.leftCols(rank).noalias() -= image_.topRows(hidden) * crossed_;
    columns_.rightCols(image_.cols()) = image_.topRows(hidden);
    compressor_.Compress({.kind = Compression::Kind::kDrop}, prior_->floor, columns_, rank,
                         next.floor, next.factor);
  }
  if (!next.IsFinite()) {
    return absl::InternalError("the posterior is not finite after this minibatch");
  }
  return absl::OkStatus();
}

}  // namespace prequel
