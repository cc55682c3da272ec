#include "core/posteriors/local_diagonal.h"

#include <cmath>

namespace prequel {

absl::Status LocalDiagonal::Begin(const DiagonalGaussian& prior, Index /*columns*/,
                                  bool /*draws*/) {
  prior_ = &prior;
  current_ = 0;
  precision_[0] = prior.precision;
  variance_ = prior.precision.cwiseInverse();
  mean_ = prior.mean;
  offset_.setZero(prior.size());
  trial_offset_.setZero(prior.size());
  covariance_kl_[0] = 0;
  return absl::OkStatus();
}

void LocalDiagonal::StartCurve() {
  accepted_ = current_;
  current_ ^= 1;
  precision_[current_] = prior_->precision;
  gradient_.setZero(mean_.size());
}

void LocalDiagonal::AddCurve(Expansion& expansion, double weight) {
  expansion.Gradient(increment_);
  gradient_ += weight * increment_;
  expansion.CurvatureDiagonal(increment_);
  precision_[current_] += weight * increment_;
}

absl::Status LocalDiagonal::SolveCurve() {
  SolveDirection();
  const auto ratio = prior_->precision.array() * variance_.array();
  covariance_kl_[current_] = 0.5 * (ratio - 1 - ratio.log()).sum();
  if (!direction_.allFinite() || !std::isfinite(covariance_kl_[current_])) {
    return absl::InternalError("the curvature of the minibatch is not finite");
  }
  return absl::OkStatus();
}

void LocalDiagonal::KeepCurve() {
  current_ = accepted_;
  SolveDirection();
}

void LocalDiagonal::SolveDirection() {
  variance_ = precision_[current_].cwiseInverse();
  direction_ = (gradient_ - prior_->precision.cwiseProduct(offset_)).cwiseProduct(variance_);
}

void LocalDiagonal::Move(double rho) {
  trial_offset_ = offset_ + rho * direction_;
  mean_ = prior_->mean + trial_offset_;
}

void LocalDiagonal::Accept() { offset_ = trial_offset_; }

void LocalDiagonal::Revert() {
  current_ = accepted_;
  variance_ = precision_[current_].cwiseInverse();
  trial_offset_ = offset_;
  mean_ = prior_->mean + offset_;
}

// ½ Σ [λ/λ_q − 1 − log(λ/λ_q) + λ δ²].
double LocalDiagonal::kl() const { return covariance_kl_[current_] + mean_kl(); }

double LocalDiagonal::mean_kl() const {
  return 0.5 * prior_->precision.dot(trial_offset_.cwiseAbs2());
}

void LocalDiagonal::Draw(const Stream& stream, bool negate, Vector& theta) {
  theta.resize(mean_.size());
  FillNormal(stream, theta);
  const double sign = negate ? -1 : 1;
  theta.array() = mean_.array() + sign * theta.array() * variance_.array().sqrt();
}

void LocalDiagonal::Commit(DiagonalGaussian& next) {
  next.mean = mean_;
  next.precision = precision_[current_];
}

}  // namespace prequel
