#include "core/posteriors/local_full.h"

namespace prequel {

absl::Status LocalFull::Begin(const FullGaussian& prior, Index columns, bool draws) {
  prior_ = &prior;
  mean_ = prior.mean;
  return block_.Begin(prior.covariance, columns, draws);
}

void LocalFull::Attach(Expansion& expansion) {
  expansion.Jacobian(block_.jacobian());
  block_.Attach();
}

void LocalFull::Project(Expansion& expansion) {
  Attach(expansion);
  block_.Project(expansion.num_logits(), false, expansion.moments().covariance);
}

void LocalFull::Move(double rho) {
  block_.Move(rho);
  mean_ = prior_->mean + block_.offset();
}

void LocalFull::Revert() {
  block_.Revert();
  mean_ = prior_->mean + block_.offset();
}

void LocalFull::Draw(const Stream& stream, bool negate, Vector& theta) {
  normal_.resize(mean_.size());
  FillNormal(stream, normal_);
  if (negate) normal_ = -normal_;
  theta = mean_;
  block_.Deviate(normal_, theta);
}

absl::Status LocalFull::Commit(FullGaussian& next) {
  next.mean = mean_;
  block_.Commit(next.covariance);
  if (!next.IsFinite()) {
    return absl::InternalError("the posterior is not finite after this minibatch");
  }
  return absl::OkStatus();
}

}  // namespace prequel
