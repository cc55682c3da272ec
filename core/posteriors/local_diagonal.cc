#include "core/posteriors/local_diagonal.h"

#include <cmath>

#include "core/linalg/sum_log.h"
#include "core/linalg/tiles.h"

namespace prequel {

absl::Status LocalDiagonal::Begin(const DiagonalGaussian& prior, Index /*columns*/,
                                  bool /*draws*/) {
  prior_ = &prior;
  current_ = kPrior;
  has_variance_ = moved_ = has_offset_ = whole_step_ = false;
  mean_kl_ = accepted_mean_kl_ = 0;
  return absl::OkStatus();
}

const Vector& LocalDiagonal::Variance() {
  if (!has_variance_) variance_ = precision().cwiseInverse();
  has_variance_ = true;
  return variance_;
}

void LocalDiagonal::StartCurve() {
  accepted_ = current_;
  current_ = current_ == 0 ? 1 : 0;
  added_ = has_variance_ = false;
}

void LocalDiagonal::AddCurve(Expansion& expansion, double weight) {
  if (!added_) {
    expansion.Gradient(gradient_);
    expansion.CurvatureDiagonal(curvature_);
    if (weight != 1) {
      gradient_ *= weight;
      curvature_ *= weight;
    }
    added_ = true;
    return;
  }
  expansion.Gradient(increment_);
  gradient_ += weight * increment_;
  expansion.CurvatureDiagonal(increment_);
  curvature_ += weight * increment_;
}

// With λ' = λ + h, direction = (g − λ δ)/λ' and KL(N(m, 1/λ') ‖ N(m, 1/λ)) = ½ Σ [λ/λ' − 1 −
// log(λ/λ')]. The whole step, which is always tried first, is taken in the same pass.
absl::Status LocalDiagonal::SolveCurve() {
  const Index size = prior_->size();
  Vector& fitted = precision_[current_];
  for (Vector* v : {&fitted, &direction_, &mean_}) v->resize(size);
  Tile variance;
  double covariance_kl = 0, energy = 0;
  ForEachTile(size, [&](Index start, Index count) {
    const auto prior = prior_->precision.segment(start, count).array();
    auto precision = fitted.segment(start, count).array();
    auto direction = direction_.segment(start, count).array();
    auto ratio = curvature_.segment(start, count).array();
    precision = prior + ratio;
    variance = precision.inverse();
    ratio = prior * variance;
    covariance_kl += 0.5 * ((ratio - 1).sum() - SumLog(ratio.matrix()));
    direction = gradient_.segment(start, count).array() * variance;
    if (!has_offset_) {
      energy += (prior * direction.square()).sum();
      mean_.segment(start, count).array() = prior_->mean.segment(start, count).array() + direction;
    } else {
      const auto offset = offset_.segment(start, count).array();
      direction -= ratio * offset;
      energy += (prior * (offset + direction).square()).sum();
      mean_.segment(start, count).array() =
          prior_->mean.segment(start, count).array() + (offset + direction);
    }
  });
  covariance_kl_[current_] = covariance_kl;
  mean_kl_ = 0.5 * energy;
  whole_step_ = true;
  if (!std::isfinite(energy) || !std::isfinite(covariance_kl)) {
    return absl::InternalError("the curvature of the minibatch is not finite");
  }
  return absl::OkStatus();
}

void LocalDiagonal::KeepCurve() {
  current_ = accepted_;
  has_variance_ = whole_step_ = false;
  direction_ = gradient_.cwiseQuotient(precision());
  if (has_offset_) {
    direction_.array() -= prior_->precision.array() * offset_.array() / precision().array();
  }
}

void LocalDiagonal::Move(double rho) {
  moved_ = true;
  rho_ = rho;
  if (rho == 1 && whole_step_) return;
  whole_step_ = false;
  if (!has_offset_) {
    mean_kl_ = 0.5 * rho * rho * prior_->precision.dot(direction_.cwiseAbs2());
    mean_ = prior_->mean + rho * direction_;
    return;
  }
  mean_kl_ = 0.5 * prior_->precision.dot((offset_ + rho * direction_).cwiseAbs2());
  mean_ = prior_->mean + (offset_ + rho * direction_);
}

void LocalDiagonal::Accept() {
  if (has_offset_) {
    offset_ += rho_ * direction_;
  } else {
    offset_.swap(direction_);
    if (rho_ != 1) offset_ *= rho_;
  }
  has_offset_ = true;
  whole_step_ = false;
  accepted_mean_kl_ = mean_kl_;
}

void LocalDiagonal::Revert() {
  current_ = accepted_;
  has_variance_ = whole_step_ = false;
  mean_kl_ = accepted_mean_kl_;
  moved_ = has_offset_;
  if (has_offset_) mean_ = prior_->mean + offset_;
}

void LocalDiagonal::Draw(const Stream& stream, bool negate, Vector& theta) {
  theta.resize(prior_->size());
  FillNormal(stream, theta);
  const double sign = negate ? -1 : 1;
  theta.array() = mean().array() + sign * theta.array() * Variance().array().sqrt();
}

void LocalDiagonal::Commit(DiagonalGaussian& next) {
  if (moved_) {
    next.mean.swap(mean_);
  } else {
    next.mean = prior_->mean;
  }
  if (curved(current_)) {
    next.precision.swap(precision_[current_]);
  } else {
    next.precision = prior_->precision;
  }
}

}  // namespace prequel
