#include "core/posteriors/local_full.h"

namespace prequel {
namespace {

constexpr Index kByDraws = -1;

}  // namespace

// Begin of a fit by draws begins block_, the form by a Jacobian, before anything is linearised.
absl::Status LocalFull::Begin(const FullGaussian& prior, Index columns, bool draws) {
  prior_ = &prior;
  mean_ = prior.mean;
  columns_ = draws ? kByDraws : columns;
  chosen_ = draws;
  structured_ = false;
  begun_ = draws ? block_.Begin(prior.covariance, columns, true) : absl::OkStatus();
  return begun_;
}

void LocalFull::Choose(const Expansion& expansion) {
  if (chosen_) return;
  chosen_ = true;
  const Index logits = expansion.num_logits();
  structured_ = expansion.linear() &&
                LinearBlock::Pays(logits, prior_->size() / logits, expansion.examples(), columns_);
  if (structured_) {
    linear_.Begin(prior_->covariance);
  } else {
    begun_ = block_.Begin(prior_->covariance, columns_, false);
  }
}

// One Attach is enough for a linear model, whose Jacobian is the same wherever it is linearised.
void LocalFull::Attach(Expansion& expansion) {
  const bool attached = chosen_ && columns_ != kByDraws;
  Choose(expansion);
  if (structured_) return linear_.Attach(expansion);
  if (attached && expansion.linear()) return;
  expansion.Jacobian(block_.jacobian());
  block_.Attach();
}

void LocalFull::Project(Expansion& expansion) {
  Attach(expansion);
  if (structured_) {
    linear_.Project(expansion.num_logits(), expansion.moments().covariance);
  } else {
    block_.Project(expansion.num_logits(), false, expansion.moments().covariance);
  }
}

void LocalFull::AddCurve(Expansion& expansion, double weight) {
  if (structured_) return linear_.AddCurve(expansion, weight);
  block_.AddCurve(expansion.local(), weight);
}

absl::Status LocalFull::SolveCurve() {
  if (!begun_.ok()) return begun_;
  return structured_ ? linear_.SolveCurve() : block_.SolveCurve();
}

void LocalFull::SetMean() {
  mean_ = prior_->mean + (structured_ ? linear_.offset() : block_.offset());
}

void LocalFull::Move(double rho) {
  structured_ ? linear_.Move(rho) : block_.Move(rho);
  SetMean();
}

void LocalFull::Revert() {
  structured_ ? linear_.Revert() : block_.Revert();
  SetMean();
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
  structured_ ? linear_.Commit(next.covariance) : block_.Commit(next.covariance);
  if (!next.IsFinite()) {
    return absl::InternalError("the posterior is not finite after this minibatch");
  }
  return absl::OkStatus();
}

}  // namespace prequel
