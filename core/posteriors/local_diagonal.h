// A diagonal Gaussian while it is being fitted to one minibatch.
#pragma once

#include "absl/status/status.h"
#include "core/expansion.h"
#include "core/posteriors/diagonal_gaussian.h"

namespace prequel {

// The interface of LocalFull (documented there) for q = N(m + δ, diag(λ + h)⁻¹), where h is the
// diagonal of the curvature: the mean-field optimum of a Gaussian is the diagonal of its precision.
// Nothing per example and parameter is ever formed.
class LocalDiagonal {
 public:
  using Posterior = DiagonalGaussian;

  absl::Status Begin(const DiagonalGaussian& prior, Index columns = 0, bool draws = false);

  const Vector& mean() const { return mean_; }

  void Project(Expansion& expansion) { expansion.MarginalCovariance(variance_); }
  void Attach(Expansion& /*expansion*/) {}

  void StartCurve();
  void AddCurve(Expansion& expansion, double weight);
  absl::Status SolveCurve();
  void KeepCurve();

  void Move(double rho);
  void Accept();
  void Revert();

  double kl() const;
  double mean_kl() const;

  void Draw(const Stream& stream, bool negate, Vector& theta);
  void Commit(DiagonalGaussian& next);

 private:
  void SolveDirection();

  const DiagonalGaussian* prior_ = nullptr;
  Vector precision_[2];  // of q and of q before the current round
  int current_ = 0, accepted_ = 0;
  Vector variance_;  // 1 / precision_[current_]
  Vector mean_, offset_, trial_offset_, direction_, gradient_, increment_;
  double covariance_kl_[2] = {0, 0};
};

}  // namespace prequel
