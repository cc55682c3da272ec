// A diagonal Gaussian while it is being fitted to one minibatch.
#pragma once

#include "absl/status/status.h"
#include "core/expansion.h"
#include "core/posteriors/diagonal_gaussian.h"

namespace prequel {

// The interface of LocalFull (documented there) for q = N(m + δ, diag(λ + h)⁻¹), where h is the
// diagonal of the curvature: the mean-field optimum of a Gaussian is the diagonal of its precision.
// Nothing per example and parameter is ever formed. A wide network's update is bound by memory, so
// what is computed per parameter is computed in one pass, over tiles that stay in the cache, and
// only when it is asked for.
class LocalDiagonal {
 public:
  using Posterior = DiagonalGaussian;

  absl::Status Begin(const DiagonalGaussian& prior, Index columns = 0, bool draws = false);

  const Vector& mean() const { return moved_ ? mean_ : prior_->mean; }

  void Project(Expansion& expansion) { expansion.MarginalCovariance(Variance()); }
  void Attach(Expansion& /*expansion*/) {}

  void StartCurve();
  void AddCurve(Expansion& expansion, double weight);
  absl::Status SolveCurve();
  void KeepCurve();

  void Move(double rho);
  void Accept();
  void Revert();

  double kl() const { return curved(current_) ? covariance_kl_[current_] + mean_kl_ : mean_kl_; }
  double mean_kl() const { return mean_kl_; }

  void Draw(const Stream& stream, bool negate, Vector& theta);
  void Commit(DiagonalGaussian& next);

 private:
  static constexpr int kPrior = 2;  // as an index: the prior's own precision
  static bool curved(int which) { return which != kPrior; }
  const Vector& precision() const {
    return curved(current_) ? precision_[current_] : prior_->precision;
  }
  const Vector& Variance();  // 1 / precision()

  const DiagonalGaussian* prior_ = nullptr;
  Vector precision_[2];  // two rounds' worth, in turn
  double covariance_kl_[2] = {0, 0};
  int current_ = kPrior;   // precision of q
  int accepted_ = kPrior;  // precision of q before StartCurve

  Vector variance_;
  bool has_variance_ = false;

  Vector gradient_, curvature_, increment_;
  bool added_ = false;  // gradient_ and curvature_ hold this round's

  // δ is 0 until a move was accepted; the step of a move is ρ · direction_.
  bool moved_ = false;       // mean_ is q's mean; else it is the prior's
  bool has_offset_ = false;  // offset_ is the accepted δ
  bool whole_step_ = false;  // mean_ and mean_kl_ are those of Move(1)
  Vector mean_, offset_, direction_;
  double rho_ = 0;                             // of the last Move
  double mean_kl_ = 0, accepted_mean_kl_ = 0;  // ½ δᵀ diag(λ) δ of the last and of the accepted
};

}  // namespace prequel
