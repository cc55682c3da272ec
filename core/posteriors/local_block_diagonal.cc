#include "core/posteriors/local_block_diagonal.h"

namespace prequel {

template <class Visit>
void LocalBlockDiagonal::ForEachBlock(const Visit& visit) {
  Index offset = 0;
  for (FullBlock& block : blocks_) {
    visit(block, offset);
    offset += block.size();
  }
}

absl::Status LocalBlockDiagonal::Begin(const BlockDiagonalGaussian& prior, Index columns,
                                       bool draws) {
  prior_ = &prior;
  mean_ = prior.mean;
  blocks_.resize(prior.blocks.size());
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    absl::Status status = blocks_[b].Begin(prior.blocks[b].covariance, columns, draws);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

void LocalBlockDiagonal::Attach(Expansion& expansion) {
  expansion.Jacobian(jacobian_);
  ForEachBlock([&](FullBlock& block, Index offset) {
    block.jacobian() = jacobian_.middleRows(offset, block.size());
    block.Attach();
  });
}

void LocalBlockDiagonal::Project(Expansion& expansion) {
  Attach(expansion);
  ForEachBlock([&](FullBlock& block, Index offset) {
    block.Project(expansion.num_logits(), offset > 0, expansion.moments().covariance);
  });
}

void LocalBlockDiagonal::StartCurve() {
  for (FullBlock& block : blocks_) block.StartCurve();
}

void LocalBlockDiagonal::AddCurve(Expansion& expansion, double weight) {
  for (FullBlock& block : blocks_) block.AddCurve(expansion.local(), weight);
}

absl::Status LocalBlockDiagonal::SolveCurve() {
  for (FullBlock& block : blocks_) {
    if (absl::Status status = block.SolveCurve(); !status.ok()) return status;
  }
  return absl::OkStatus();
}

void LocalBlockDiagonal::KeepCurve() {
  for (FullBlock& block : blocks_) block.KeepCurve();
}

void LocalBlockDiagonal::SetMean() {
  ForEachBlock([&](const FullBlock& block, Index offset) {
    mean_.segment(offset, block.size()) =
        prior_->mean.segment(offset, block.size()) + block.offset();
  });
}

void LocalBlockDiagonal::Move(double rho) {
  for (FullBlock& block : blocks_) block.Move(rho);
  SetMean();
}

void LocalBlockDiagonal::Accept() {
  for (FullBlock& block : blocks_) block.Accept();
}

void LocalBlockDiagonal::Revert() {
  for (FullBlock& block : blocks_) block.Revert();
  SetMean();
}

double LocalBlockDiagonal::kl() const {
  double sum = 0;
  for (const FullBlock& block : blocks_) sum += block.kl();
  return sum;
}

double LocalBlockDiagonal::mean_kl() const {
  double sum = 0;
  for (const FullBlock& block : blocks_) sum += block.mean_kl();
  return sum;
}

void LocalBlockDiagonal::Draw(const Stream& stream, bool negate, Vector& theta) {
  normal_.resize(mean_.size());
  FillNormal(stream, normal_);
  if (negate) normal_ = -normal_;
  theta = mean_;
  ForEachBlock([&](const FullBlock& block, Index offset) {
    block.Deviate(normal_.segment(offset, block.size()), theta.segment(offset, block.size()));
  });
}

absl::Status LocalBlockDiagonal::Commit(BlockDiagonalGaussian& next) {
  next.mean = mean_;
  next.blocks.resize(blocks_.size());
  for (std::size_t b = 0; b < blocks_.size(); ++b) blocks_[b].Commit(next.blocks[b].covariance);
  if (!next.IsFinite()) {
    return absl::InternalError("the posterior is not finite after this minibatch");
  }
  return absl::OkStatus();
}

}  // namespace prequel
