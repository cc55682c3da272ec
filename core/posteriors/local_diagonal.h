// A diagonal Gaussian while it is being fitted to one minibatch.
#pragma once

#include "absl/status/status.h"
#include "core/expansion/expansion.h"
#include "core/posteriors/diagonal_gaussian.h"

namespace prequel {

// LocalDiagonal has the interface of LocalFull (documented there) for q = N(m + δ, diag(λ + h)⁻¹),
// where h is the diagonal of the curvature: the mean-field optimum of a Gaussian is the diagonal of
// its precision. Nothing per example and parameter is ever formed. A wide network's update is bound
// by memory, so what is computed per parameter is computed in one pass, over tiles that stay in the
// cache, and only when it is asked for.
class LocalDiagonal {
 public:
  using Posterior = DiagonalGaussian;

  absl::Status Begin(const DiagonalGaussian& prior, Index columns = 0, bool draws = false);

  static Index first_uncertain() { return 0; }
  static absl::Status CheckRoom() { return absl::OkStatus(); }
  const Vector& mean() const { return *mean_; }

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
  // Commit is always OK: SolveCurve has seen every precision and mean.
  absl::Status Commit(DiagonalGaussian& next);

 private:
  static constexpr int kPrior = 2;  // as an index: the prior's own precision
  static bool curved(int which) { return which != kPrior; }
  const Vector& precision() const {
    return curved(current_) ? precision_[current_] : prior_->precision;
  }
  const Vector& Variance();  // 1 / precision()
  // MeanKl is ½ (m' − m)ᵀ diag(λ) (m' − m) for the prior's m and λ.
  double MeanKl(const Vector& mean) const;

  const DiagonalGaussian* prior_ = nullptr;
  Vector precision_[2];  // two rounds' worth, in turn
  double covariance_kl_[2] = {0, 0};
  int current_ = kPrior;   // precision of q
  int accepted_ = kPrior;  // precision of q before StartCurve

  Vector variance_;
  bool has_variance_ = false;

  Vector gradient_, increment_;
  bool added_ = false;  // gradient_ and precision_[current_] hold this round's sums

  // Means: of q, of q before the last Move, of a whole step (ρ = 1) and of any other. The first two
  // point to the prior's, or to one of those that follow.
  const Vector* mean_ = nullptr;
  const Vector* accepted_mean_ = nullptr;
  Vector kept_mean_, whole_step_, part_step_;
  double whole_step_kl_ = 0, mean_kl_ = 0, accepted_mean_kl_ = 0;
};

}  // namespace prequel
