#include "core/posteriors/local_diagonal.h"

#include <cmath>

#include "core/linalg/sum_log.h"
#include "core/linalg/tiles.h"

namespace prequel {

absl::Status LocalDiagonal::Begin(const DiagonalGaussian& prior, Index /*columns*/,
                                  bool /*draws*/) {
  prior_ = &prior;
  current_ = kPrior;
  has_variance_ = false;
  mean_ = accepted_mean_ = &prior.mean;
  mean_kl_ = accepted_mean_kl_ = 0;
  return absl::OkStatus();
}

const Vector& LocalDiagonal::Variance() {
  if (!has_variance_) variance_ = precision().cwiseInverse();
  has_variance_ = true;
  return variance_;
}

double LocalDiagonal::MeanKl(const Vector& mean) const {
  return 0.5 * (prior_->precision.array() * (mean - prior_->mean).array().square()).sum();
}

void LocalDiagonal::StartCurve() {
  accepted_ = current_;
  current_ = current_ == 0 ? 1 : 0;
  added_ = has_variance_ = false;
}

// AddCurve sums the curvatures, which become the precision in SolveCurve.
void LocalDiagonal::AddCurve(Expansion& expansion, double weight) {
  Vector& curvature = precision_[current_];
  if (!added_) {
    expansion.Gradient(gradient_);
    expansion.CurvatureDiagonal(curvature);
    if (weight != 1) {
      gradient_ *= weight;
      curvature *= weight;
    }
    added_ = true;
    return;
  }
  expansion.Gradient(increment_);
  gradient_ += weight * increment_;
  expansion.CurvatureDiagonal(increment_);
  curvature += weight * increment_;
}

// SolveCurve takes, with λ' = λ + h, the whole step to m_k + (g − λ (m_k − m))/λ'; and KL(N(·,
// 1/λ') ‖ N(·, 1/λ)) = ½ Σ [λ/λ' − 1 − log(λ/λ')].
absl::Status LocalDiagonal::SolveCurve() {
  const Index size = prior_->size();
  const bool moved = accepted_mean_ != &prior_->mean;
  whole_step_.resize(size);
  Tile variance, ratio, offset;
  double covariance_kl = 0, energy = 0;
  ForEachTile(size, [&](Index start, Index count) {
    const auto prior = prior_->precision.segment(start, count).array();
    const auto mean = prior_->mean.segment(start, count).array();
    const auto gradient = gradient_.segment(start, count).array();
    auto precision = precision_[current_].segment(start, count).array();
    precision += prior;
    variance = precision.inverse();
    ratio = prior * variance;
    covariance_kl += 0.5 * ((ratio - 1).sum() - SumLog(ratio.matrix()));
    if (moved) {  // (m_k − m) (1 − λ/λ') + g/λ'
      offset = (accepted_mean_->segment(start, count).array() - mean) * (1 - ratio);
      offset += gradient * variance;
    } else {
      offset = gradient * variance;
    }
    whole_step_.segment(start, count).array() = mean + offset;
    energy += (prior * offset.square()).sum();
  });
  covariance_kl_[current_] = covariance_kl;
  whole_step_kl_ = 0.5 * energy;
  if (!std::isfinite(energy) || !std::isfinite(covariance_kl)) {
    return absl::InternalError("the curvature of the minibatch is not finite");
  }
  return absl::OkStatus();
}

void LocalDiagonal::KeepCurve() {
  current_ = accepted_;
  has_variance_ = false;
  const auto offset = (*accepted_mean_ - prior_->mean).array();
  whole_step_ = *accepted_mean_;
  whole_step_.array() +=
      (gradient_.array() - prior_->precision.array() * offset) / precision().array();
  whole_step_kl_ = MeanKl(whole_step_);
}

void LocalDiagonal::Move(double rho) {
  if (rho == 1) {
    mean_ = &whole_step_;
    mean_kl_ = whole_step_kl_;
    return;
  }
  part_step_ = *accepted_mean_ + rho * (whole_step_ - *accepted_mean_);
  mean_ = &part_step_;
  mean_kl_ = MeanKl(part_step_);
}

void LocalDiagonal::Accept() {
  kept_mean_.swap(mean_ == &part_step_ ? part_step_ : whole_step_);
  mean_ = accepted_mean_ = &kept_mean_;
  accepted_mean_kl_ = mean_kl_;
}

void LocalDiagonal::Revert() {
  current_ = accepted_;
  has_variance_ = false;
  mean_ = accepted_mean_;
  mean_kl_ = accepted_mean_kl_;
}

void LocalDiagonal::Draw(const Stream& stream, bool negate, Vector& theta) {
  theta.resize(prior_->size());
  FillNormal(stream, theta);
  const double sign = negate ? -1 : 1;
  theta.array() = mean().array() + sign * theta.array() * Variance().array().sqrt();
}

absl::Status LocalDiagonal::Commit(DiagonalGaussian& next) {
  if (mean_ == &kept_mean_) {
    next.mean.swap(kept_mean_);
  } else {
    next.mean = *mean_;
  }
  if (curved(current_)) {
    next.precision.swap(precision_[current_]);
  } else {
    next.precision = prior_->precision;
  }
  return absl::OkStatus();
}

}  // namespace prequel
