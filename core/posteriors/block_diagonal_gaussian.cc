#include "core/posteriors/block_diagonal_gaussian.h"

#include <algorithm>

#include "core/config/learner_config.h"
#include "core/posteriors/part_sizes.h"

namespace prequel {

absl::Status BlockDiagonalGaussian::Configure(Options& options, const Layers& layers) {
  options.Describe("every covariance within a layer",
                   "squares of layers' sizes, together up to 67 million, each layer up to 8192");
  blocks.clear();
  for (const DenseLayer& layer : layers) blocks.push_back({Matrix(layer.size(), 0)});
  return options.Finish();
}

absl::Status BlockDiagonalGaussian::CheckSize(Index params) const {
  absl::Status status = PosteriorDefaults::CheckSize(params);
  if (!status.ok()) return status;
  PartSizes sizes;
  for (const Block& block : blocks) sizes.Add(block.size());
  return sizes.Check(kName, ConfigLimits::kMaxFullParameters);
}

BlockDiagonalGaussian BlockDiagonalGaussian::FromDiagonal(const Vector& prior_mean,
                                                          const Vector& variances) const {
  BlockDiagonalGaussian q;
  q.mean = prior_mean;
  Index offset = 0;
  for (const Block& block : blocks) {
    q.blocks.push_back({Matrix(variances.segment(offset, block.size()).asDiagonal())});
    offset += block.size();
  }
  return q;
}

bool BlockDiagonalGaussian::IsFinite() const {
  return mean.allFinite() && std::all_of(blocks.begin(), blocks.end(), [](const Block& block) {
           return block.covariance.diagonal().allFinite() &&
                  (block.size() == 0 || block.covariance.diagonal().minCoeff() > 0);
         });
}

bool BlockDiagonalGaussian::IsSound(Index params) const {
  Index total = 0;
  for (const Block& block : blocks) total += block.size();
  return mean.size() == params && total == params && IsFinite();
}

bool BlockDiagonalGaussian::HasShapeOf(const BlockDiagonalGaussian& other) const {
  return std::equal(blocks.begin(), blocks.end(), other.blocks.begin(), other.blocks.end(),
                    [](const Block& a, const Block& b) { return a.size() == b.size(); });
}

void BlockDiagonalGaussian::Diffuse(const Vector& keep, const Vector& added, Matrix& /*scratch*/) {
  Index offset = 0;
  for (Block& block : blocks) {
    DiffuseCovariance(keep.segment(offset, block.size()), added.segment(offset, block.size()),
                      block.covariance);
    offset += block.size();
  }
}

absl::Status BlockDiagonalGaussian::Carry(const Carrying& by, CarryingScratch& w) {
  Index offset = 0;
  absl::Status status;
  for (std::size_t l = 0; l < blocks.size() && status.ok(); ++l) {
    const Index size = blocks[l].size();
    status = CarryDense(by.OfLayer(l), by.prior_mean.segment(offset, size),
                        by.prior_precision.segment(offset, size), by.stands,
                        mean.segment(offset, size), blocks[l].covariance, w.Of(l));
    offset += size;
  }
  return status;
}

absl::Status BlockDiagonalSampler::Prepare(const BlockDiagonalGaussian& posterior) {
  mean_ = posterior.mean;
  factors_.resize(posterior.blocks.size());
  for (std::size_t b = 0; b < factors_.size(); ++b) {
    absl::Status status = FactorCovariance(posterior.blocks[b].covariance, factors_[b]);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

void BlockDiagonalSampler::Draw(const Stream& stream, Vector& theta) {
  normal_.resize(mean_.size());
  FillNormal(stream, normal_);
  theta = mean_;
  Index offset = 0;
  for (const Matrix& factor : factors_) {
    theta.segment(offset, factor.rows()).noalias() +=
        factor.triangularView<Eigen::Lower>() * normal_.segment(offset, factor.rows());
    offset += factor.rows();
  }
}

double BlockDiagonalDivergence::Kl(const BlockDiagonalGaussian& q, const BlockDiagonalGaussian& p) {
  moved_ = q.mean - p.mean;
  double sum = 0;
  Index offset = 0;
  for (std::size_t b = 0; b < q.blocks.size(); ++b) {
    const Index size = q.blocks[b].size();
    sum += block_.Kl(q.blocks[b].covariance, p.blocks[b].covariance, moved_.segment(offset, size));
    offset += size;
  }
  return sum;
}

double BlockDiagonalGaussian::SpreadNumbers(const Layers& layers) {
  double sum = 0;
  for (const DenseLayer& layer : layers) sum += SquareOf(layer.size());
  return sum;
}

}  // namespace prequel
