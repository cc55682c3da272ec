// A Gaussian over some of the weights while it is being fitted to one minibatch.
#pragma once

#include "absl/status/status.h"
#include "core/expansion/expansion.h"
#include "core/posteriors/full_block.h"
#include "core/posteriors/subset_gaussian.h"

namespace prequel {

// LocalSubset has the interface of LocalFull (documented there), with the weights in S as one
// FullBlock: it sees those rows of the Jacobian alone, S × C·B, and no other row is formed. The
// weights elsewhere stay where they are.
template <class Q>
class LocalSubset {
 public:
  using Posterior = Q;

  absl::Status Begin(const Q& prior, Index columns = 0, bool draws = false) {
    prior_ = &prior;
    mean_ = prior.mean;
    return block_.Begin(prior.part.covariance, columns, draws);
  }

  const Vector& mean() const { return mean_; }
  Index first_uncertain() const { return prior_->first_uncertain(); }
  static absl::Status CheckRoom() { return absl::OkStatus(); }

  void Attach(Expansion& expansion) {
    expansion.JacobianRows(prior_->subset, block_.jacobian());
    block_.Attach();
  }
  void Project(Expansion& expansion) {
    Attach(expansion);
    block_.Project(expansion.num_logits(), false, expansion.moments().covariance);
  }

  void StartCurve() { block_.StartCurve(); }
  void AddCurve(Expansion& expansion, double weight) { block_.AddCurve(expansion.local(), weight); }
  absl::Status SolveCurve() { return block_.SolveCurve(); }
  void KeepCurve() { block_.KeepCurve(); }

  void Move(double rho) {
    block_.Move(rho);
    SetMean();
  }
  void Accept() { block_.Accept(); }
  void Revert() {
    block_.Revert();
    SetMean();
  }

  double kl() const { return block_.kl(); }
  double mean_kl() const { return block_.mean_kl(); }

  void Draw(const Stream& stream, bool negate, Vector& theta) {
    normal_.resize(block_.size());
    FillNormal(stream, normal_);
    if (negate) normal_ = -normal_;
    drawn_ = prior_->part.mean + block_.offset();
    block_.Deviate(normal_, drawn_);
    theta = mean_;
    Scatter(drawn_, prior_->subset, theta);
  }

  absl::Status Commit(Q& next) {
    next.mean = mean_;
    next.subset = prior_->subset;
    next.part.mean = prior_->part.mean + block_.offset();
    block_.Commit(next.part.covariance);
    if (!next.IsFinite()) {
      return absl::InternalError("the posterior is not finite after this minibatch");
    }
    return absl::OkStatus();
  }

 private:
  void SetMean() {
    drawn_ = prior_->part.mean + block_.offset();
    Scatter(drawn_, prior_->subset, mean_);
  }

  const Q* prior_ = nullptr;
  FullBlock block_;
  Vector mean_;            // D
  Vector drawn_, normal_;  // θ_S
};

}  // namespace prequel
