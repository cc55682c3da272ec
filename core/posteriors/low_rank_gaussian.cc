#include "core/posteriors/low_rank_gaussian.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "core/config/field_error.h"
#include "core/config/learner_config.h"
#include "core/linalg/cholesky.h"

namespace prequel {
namespace {

constexpr Index kUsualRank = 10;
constexpr Index kMaxEntries = Index{1} << 27;  // of the columns of one minibatch: 1 GiB

}  // namespace

absl::Status LowRankGaussian::Configure(Options& options, const Layers& layers) {
  options.Describe("a precision diag(d) + W Wᵀ, W: D × L",
                   "D (L + 1) numbers; D · L up to 67 million");
  const Index params = NumParams(layers);
  Index rank = std::min(kUsualRank, params);
  options.Help("L, columns of W; at most D").Integer("rank", &rank, 1, params);
  factor.resize(0, rank);
  return options.Finish();
}

LowRankGaussian LowRankGaussian::FromDiagonal(const Vector& prior_mean,
                                              const Vector& variances) const {
  LowRankGaussian q;
  q.mean = prior_mean;
  q.diagonal = variances.cwiseInverse();
  q.factor = Matrix::Zero(prior_mean.size(), rank());
  return q;
}

bool LowRankGaussian::IsFinite() const {
  return mean.allFinite() && diagonal.allFinite() && factor.allFinite() &&
         (diagonal.size() == 0 || diagonal.minCoeff() > 0);
}

bool LowRankGaussian::IsSound(Index params) const {
  return mean.size() == params && diagonal.size() == params && factor.rows() == params &&
         rank() >= 1 && rank() <= params && IsFinite();
}

absl::Status LowRankGaussian::CheckSize(Index params) const {
  absl::Status status = PosteriorDefaults::CheckSize(params);
  return status.ok() ? CheckRank(params, rank()) : status;
}

// Diffuse acts on the covariance B − B W M⁻¹ Wᵀ B with B = d⁻¹ and M = I + Wᵀ B W. Scaled, d is d/k
// and W is W/√k; a is added to B alone, and the matrix inversion lemma twice gives the form above,
// in which nothing cancels.
void LowRankGaussian::Diffuse(const Vector& keep, const Vector& added, Matrix& scratch) {
  const auto k = keep.array(), a = added.array();
  const auto d = diagonal.array();
  scratch.noalias() = factor.transpose() * (a / (k + a * d)).matrix().asDiagonal() * factor;
  scratch.diagonal().array() += 1;
  FactorInPlace(scratch);  // I plus a positive semidefinite matrix
  factor.array().colwise() *= k.sqrt() / (k + a * d);
  scratch.transpose().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(factor);
  diagonal.array() /= k + a * d;
}

absl::Status LowRankGaussian::Carry(const Carrying& by, CarryingScratch& scratch) {
  const WeightMap map = by.OfAll();
  BlockScratch& w = scratch.first;
  CarryDiagonal(map, by, diagonal, w);
  for (Index l = 0; l < rank(); ++l) map.TurnBackTransposed(factor.col(l));
  map.Apply(mean);
  PullToPrior(map, by.prior_mean, w.prior, by.stands, mean, w);
  absl::Status status = scratch.precision.Factor(diagonal, factor);
  if (!status.ok()) return status;
  scratch.precision.Solve(w.pull, w.origin);
  mean += w.origin;
  return status;
}

absl::Status CheckRank(Index params, Index rank) {
  const Index most = ConfigLimits::kMaxFactorEntries / params;
  if (rank <= most) return absl::OkStatus();
  return FieldError("config.posterior.options.rank",
                    absl::StrCat("is ", rank, "; with ", params, " parameters it must be in [1, ",
                                 std::max<Index>(1, most), "]"));
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

// 2 KL = tr(Λ_p Λ_q⁻¹) − D + log|Λ_q| − log|Λ_p| + δᵀ Λ_p δ, and with Λ_p = d + W Wᵀ
//   tr(Λ_p Λ_q⁻¹) = Σ_j d_j (Λ_q⁻¹)_jj + Σ_l w_lᵀ Λ_q⁻¹ w_l
double LowRankDivergence::Kl(const LowRankGaussian& q, const LowRankGaussian& p) {
  if (!q_.Factor(q.diagonal, q.factor).ok() || !p_.Factor(p.diagonal, p.factor).ok()) {
    return std::numeric_limits<double>::infinity();
  }
  q_.SolveColumns(p.factor, solved_);
  const double trace = q_.TraceOfInverse(p.diagonal) + solved_.cwiseProduct(p.factor).sum();
  moved_ = q.mean - p.mean;
  turned_.noalias() = p.factor.transpose() * moved_;
  const double energy = p.diagonal.dot(moved_.cwiseAbs2()) + turned_.squaredNorm();
  return 0.5 * (trace - static_cast<double>(q.size()) + q_.log_det() - p_.log_det() + energy);
}

}  // namespace prequel
