#include "core/posteriors/low_rank_gaussian.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "core/error.h"

namespace prequel {
namespace {

constexpr Index kUsualRank = 10;
constexpr Index kMaxEntries = Index{1} << 27;  // of the columns of one minibatch: 1 GiB

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

// 2 KL = tr(Λ_p Λ_q⁻¹) − D + log|Λ_q| − log|Λ_p| + δᵀ Λ_p δ, with q = this, p = from and Λ_p = d +
// W Wᵀ:
//   tr(Λ_p Λ_q⁻¹) = Σ_j d_j (Λ_q⁻¹)_jj + Σ_l w_lᵀ Λ_q⁻¹ w_l
double LowRankGaussian::Kl(const LowRankGaussian& from) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Woodbury mine, theirs;
  if (!mine.Factor(diagonal, factor).ok()) return kInfinity;
  if (!theirs.Factor(from.diagonal, from.factor).ok()) return kInfinity;
  Matrix solved;  // Λ_q⁻¹ W_p
  mine.SolveColumns(from.factor, solved);
  const double factor_trace = solved.cwiseProduct(from.factor).sum();
  const Vector moved = mean - from.mean;
  const double energy =
      from.diagonal.dot(moved.cwiseAbs2()) + (from.factor.transpose() * moved).squaredNorm();
  return 0.5 * (mine.TraceOfInverse(from.diagonal) + factor_trace - static_cast<double>(size()) +
                mine.log_det() - theirs.log_det() + energy);
}

absl::Status CheckColumns(Index params, Index columns) {
  const Index most = std::max<Index>(1, kMaxEntries / std::max<Index>(1, params));
  if (columns <= most) return absl::OkStatus();
  return FieldError("batch.inputs.shape",
                    absl::StrCat("makes ", columns, " columns of curvature of ", params,
                                 " weights, and ", most, " can be held: send fewer rows"));
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
