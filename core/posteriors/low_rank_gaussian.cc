#include "core/posteriors/low_rank_gaussian.h"

#include <algorithm>
#include <limits>

namespace prequel {
namespace {

constexpr Index kUsualRank = 10;

}  // namespace

absl::Status LowRankGaussian::Configure(Options& options, Index params) {
  Index rank = std::min(kUsualRank, params);
  options.Integer("rank", &rank, 1, params);
  factor.resize(0, rank);
  return options.Finish();
}

LowRankGaussian LowRankGaussian::FromDiagonal(const Vector& prior_mean,
                                              const Vector& variances) const {
  return {prior_mean, variances.cwiseInverse(), Matrix::Zero(prior_mean.size(), rank())};
}

bool LowRankGaussian::IsFinite() const {
  return mean.allFinite() && diagonal.allFinite() && factor.allFinite() &&
         (diagonal.size() == 0 || diagonal.minCoeff() > 0);
}

bool LowRankGaussian::IsSound(Index params) const {
  return mean.size() == params && diagonal.size() == params && factor.rows() == params &&
         rank() >= 1 && rank() <= params && IsFinite();
}

// 2 KL = tr(Λ_p Λ_q⁻¹) − D + log|Λ_q| − log|Λ_p| + δᵀ Λ_p δ, with p = from and Λ_p = d + W Wᵀ:
//   tr(Λ_p Λ_q⁻¹) = Σ_j d_j (Λ_q⁻¹)_jj + Σ_l w_lᵀ Λ_q⁻¹ w_l
double LowRankDivergence::Kl(const LowRankGaussian& q, const LowRankGaussian& from) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!q_.Factor(q.diagonal, q.factor).ok()) return kInfinity;
  if (!from_.Factor(from.diagonal, from.factor).ok()) return kInfinity;
  q_.SolveColumns(from.factor, solved_);
  const double factor_trace = solved_.cwiseProduct(from.factor).sum();
  const Vector moved = q.mean - from.mean;
  const double energy =
      from.diagonal.dot(moved.cwiseAbs2()) + (from.factor.transpose() * moved).squaredNorm();
  return 0.5 * (q_.TraceOfInverse(from.diagonal) + factor_trace - static_cast<double>(q.size()) +
                q_.log_det() - from_.log_det() + energy);
}

absl::Status LowRankSampler::Prepare(const LowRankGaussian& posterior) {
  mean_ = posterior.mean;
  return precision_.Factor(posterior.diagonal, posterior.factor);
}

void LowRankSampler::Draw(const Stream& stream, Vector& theta) {
  normal_.resize(precision_.size() + precision_.rank());
  FillNormal(stream, normal_);
  precision_.Deviate(normal_, theta);
  theta += mean_;
}

}  // namespace prequel
