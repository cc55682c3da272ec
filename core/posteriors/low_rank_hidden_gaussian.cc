#include "core/posteriors/low_rank_hidden_gaussian.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "core/config/field_error.h"
#include "core/config/learner_config.h"
#include "core/posteriors/full_gaussian.h"
#include "core/posteriors/low_rank_gaussian.h"
#include "core/random/lanes.h"

namespace prequel {
namespace {

constexpr Index kUsualHiddenRank = 50;
constexpr double kUsualFloor = 0.01;

// RandomDirections is V^{1/2} Q: the weights dealt out to the L columns in turn, so that no weight
// is in two, and a random direction within each.
Matrix RandomDirections(ConstVectorRef variances, Index rank) {
  const Index size = variances.size();
  Vector normals(size);
  FillNormal(Stream{.lane = kInitialDirectionsLane}, normals);
  Vector squares = Vector::Zero(rank);
  for (Index j = 0; j < size; ++j) squares[j % rank] += normals[j] * normals[j];
  Matrix out = Matrix::Zero(size, rank);
  for (Index j = 0; j < size; ++j) {
    out(j, j % rank) = std::sqrt(variances[j] / squares[j % rank]) * normals[j];
  }
  return out;
}

}  // namespace

absl::Status LowRankHiddenGaussian::Configure(Options& options, const Layers& layers) {
  options.Describe("a full covariance of the last layer, and diag(f) + C Cᵀ of the hidden ones",
                   "D (L + 1) numbers and the square of the last layer");
  const Index last_size = layers.back().size();
  const Index hidden_size = layers.back().offset;
  if (last_size > ConfigLimits::kMaxFullParameters) {
    return FieldError("config.model",
                      absl::StrCat("has ", last_size, " parameters in its last layer; at most ",
                                   ConfigLimits::kMaxFullParameters,
                                   " fit a full covariance: use posterior \"low_rank\" or a "
                                   "smaller network"));
  }
  Index rank = std::min(kUsualHiddenRank, hidden_size);
  options.Help("L, columns of C; at most the hidden weights")
      .Integer("rank", &rank, std::min<Index>(1, hidden_size), hidden_size);
  share_ = kUsualFloor;
  options.Help("diagonal of the hidden layers, as a share of the prior's variances")
      .Real("floor", &share_, 0, 1);
  factor.resize(0, rank);
  covariance.resize(last_size, 0);
  return options.Finish();
}

LowRankHiddenGaussian LowRankHiddenGaussian::FromDiagonal(const Vector& prior_mean,
                                                          const Vector& variances) const {
  LowRankHiddenGaussian q;
  const Index of_hidden = prior_mean.size() - last();
  q.mean = prior_mean;
  q.floor = share_ * variances.head(of_hidden);
  q.factor = std::sqrt(1 - share_) * RandomDirections(variances.head(of_hidden), rank());
  q.covariance = variances.tail(last()).asDiagonal();
  return q;
}

absl::Status LowRankHiddenGaussian::CheckSize(Index params) const {
  absl::Status status = PosteriorDefaults::CheckSize(params);
  return status.ok() ? CheckRank(params, rank()) : status;
}

// Diffuse sets f' = k f + a,  C' = √k C; the last layer's as of any covariance.
void LowRankHiddenGaussian::Diffuse(const Vector& keep, const Vector& added, Matrix& /*scratch*/) {
  floor.array() = keep.head(hidden()).array() * floor.array() + added.head(hidden()).array();
  factor.array().colwise() *= keep.head(hidden()).array().sqrt();
  DiffuseCovariance(keep.tail(last()), added.tail(last()), covariance);
}

absl::Status LowRankHiddenGaussian::Carry(const Carrying& by, CarryingScratch& w) {
  if (hidden() > 0 && by.settled) {
    Vector& ratio = w.first.origin;
    const Index first = by.layers.front().size();
    const WeightMap map = by.OfLayer(0);
    map.Apply(mean.head(first));
    ratio.setOnes(first);
    map.TurnBackPrecision(ratio);
    floor.head(first).array() /= ratio.array();
    for (Index l = 0; l < rank(); ++l) map.Turn(factor.col(l).head(first));
  }
  return CarryDense(by.OfLayer(by.layers.size() - 1), by.prior_mean.tail(last()),
                    by.prior_precision.tail(last()), by.stands, mean.tail(last()), covariance,
                    w.last);
}

bool LowRankHiddenGaussian::IsFinite() const {
  return mean.allFinite() && floor.allFinite() && factor.allFinite() &&
         (floor.size() == 0 || floor.minCoeff() >= 0) && covariance.diagonal().allFinite() &&
         covariance.diagonal().minCoeff() > 0;
}

bool LowRankHiddenGaussian::IsSound(Index params) const {
  return mean.size() == params && hidden() + last() == params && last() >= 1 &&
         factor.rows() == hidden() && rank() <= hidden() && IsFinite();
}

absl::Status LowRankHiddenSampler::Prepare(const LowRankHiddenGaussian& posterior) {
  mean_ = posterior.mean;
  deviation_ = posterior.floor.cwiseSqrt();
  factor_ = posterior.factor;
  return FactorCovariance(posterior.covariance, last_factor_);
}

void LowRankHiddenSampler::Draw(const Stream& stream, Vector& theta) {
  const Index hidden = deviation_.size(), last = last_factor_.rows();
  normal_.resize(mean_.size() + factor_.cols());
  FillNormal(stream, normal_);
  theta = mean_;
  theta.head(hidden).array() += deviation_.array() * normal_.head(hidden).array();
  theta.tail(last).noalias() +=
      last_factor_.triangularView<Eigen::Lower>() * normal_.segment(hidden, last);
  theta.head(hidden).noalias() += factor_ * normal_.tail(factor_.cols());
}

}  // namespace prequel
