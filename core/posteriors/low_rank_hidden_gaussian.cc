#include "core/posteriors/low_rank_hidden_gaussian.h"

#include <Eigen/QR>
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/config.h"
#include "core/error.h"
#include "core/posteriors/full_gaussian.h"

namespace prequel {
namespace {

constexpr Index kUsualRank = 50;
constexpr double kUsualFloor = 0.01;

// n × k with orthonormal columns, the same for the same n and k. REQUIRES: k ≤ n.
Matrix OrthonormalColumns(Index n, Index k) {
  Matrix normals(n, k);
  FillNormal(Stream{}, normals);
  const Eigen::HouseholderQR<Matrix> qr(normals);
  return qr.householderQ() * Matrix::Identity(n, k);
}

}  // namespace

absl::Status LowRankHiddenGaussian::Configure(Options& options, const Layers& layers) {
  const Index last_size = layers.back().size();
  const Index hidden_size = layers.back().offset;
  if (last_size > ConfigLimits::kMaxFullParameters) {
    return FieldError("config.model",
                      absl::StrCat("has ", last_size, " parameters in its last layer; at most ",
                                   ConfigLimits::kMaxFullParameters,
                                   " fit a full covariance: use posterior \"low_rank\" or a "
                                   "smaller network"));
  }
  Index rank = std::min(kUsualRank, hidden_size);
  options.Integer("rank", &rank, std::min<Index>(1, hidden_size), hidden_size);
  share_ = kUsualFloor;
  options.Real("floor", &share_, 0, 1);
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
  q.factor =
      variances.head(of_hidden).cwiseSqrt().asDiagonal() * OrthonormalColumns(of_hidden, rank());
  q.covariance = variances.tail(last()).asDiagonal();
  return q;
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
