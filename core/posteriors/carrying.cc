#include "core/posteriors/carrying.h"

#include <algorithm>
#include <cmath>

#include "absl/status/statusor.h"
#include "core/linalg/cholesky.h"

namespace prequel {
namespace {

constexpr int kMostHalvings = 20;

absl::Status NotPositiveDefinite() {
  return absl::InternalError("the posterior covariance is not positive definite");
}

// K Λ₀ of a belief that drifts, into w.prior. With P̃ = Λ₀^{½} P Λ₀^{½} and r_i = Σ_j |P̃_ij|,
// K = diag(1/max(1, r_i)) leaves K^{½} P̃ K^{½} ≤ I (Schur's test with √r). `full`: P, both
// triangles.
void KeepOfPrior(const Matrix& full, ConstVectorRef prior_precision, BlockScratch& w) {
  w.pull = prior_precision.cwiseSqrt();
  for (Index i = 0; i < full.rows(); ++i) {
    const double reach = w.pull[i] * full.col(i).cwiseAbs().dot(w.pull);
    w.prior[i] = prior_precision[i] / std::max(1.0, reach);
  }
}

// E L with E = Λ₀ − T⁻ᵀ Λ₀ T⁻¹, into w.pulled, of L, a lower triangle, in w.root.
void PullRoot(const WeightMap& map, BlockScratch& w) {
  w.pulled = w.root;
  for (Index j = 0; j < w.root.cols(); ++j) {
    map.TurnBack(w.pulled.col(j));
    w.pulled.col(j).array() *= w.prior.array();
    map.TurnBackTransposed(w.pulled.col(j));
    w.pulled.col(j) = w.prior.cwiseProduct(w.root.col(j)) - w.pulled.col(j);
  }
}

// P' = (L⁻ᵀ L⁻¹ + E)⁻¹ = L (I + Lᵀ E L)⁻¹ Lᵀ of L in w.root, into `covariance`, with E L in
// w.pulled, of which less is taken where it would not be positive definite by rounding: what is
// left of it.
absl::StatusOr<double> AddPrecision(BlockScratch& w, Matrix& covariance) {
  double share = 1;
  for (int halvings = 0;; ++halvings) {
    w.inner.setIdentity(w.root.rows(), w.root.cols());
    w.inner.triangularView<Eigen::Lower>() += w.root.transpose() * w.pulled;
    if (FactorInPlace(w.inner)) break;
    // Rounding alone, of a prior that is nearly all there is.
    if (halvings == kMostHalvings) return NotPositiveDefinite();
    w.pulled *= 0.5;
    share *= 0.5;
  }
  w.pulled = w.root.transpose();
  w.inner.triangularView<Eigen::Lower>().solveInPlace(w.pulled);
  covariance.triangularView<Eigen::Lower>() = w.pulled.transpose() * w.pulled;
  return share;
}

}  // namespace

void PullToPrior(const WeightMap& map, ConstVectorRef prior_mean, ConstVectorRef prior_precision,
                 bool stands, ConstVectorRef carried, BlockScratch& w) {
  w.drawing = prior_precision;
  if (!stands) map.ClearIntercepts(w.drawing);
  w.origin = prior_mean;
  map.Apply(w.origin);
  w.origin -= carried;
  map.TurnBack(w.origin);
  w.origin.array() *= w.drawing.array();
  map.TurnBackTransposed(w.origin);
  w.pull = w.drawing.cwiseProduct(prior_mean - carried) - w.origin;
}

void CarryDiagonal(const WeightMap& map, const Carrying& by, VectorRef d, BlockScratch& w) {
  w.prior = by.prior_precision;
  if (!by.stands) w.prior = w.prior.cwiseMin(d);
  d = (d - w.prior).cwiseMax(0);
  map.TurnBackPrecision(d);
  d += w.prior;
}

// With T P Tᵀ = L Lᵀ and E as above, P' = (L⁻ᵀ L⁻¹ + E)⁻¹ = L (I + Lᵀ E L)⁻¹ Lᵀ: where units hardly
// moved, or where the rows have told far more than the prior, what is inverted is nearly I.
absl::Status CarryDense(const WeightMap& map, ConstVectorRef prior_mean,
                        ConstVectorRef prior_precision, bool stands, VectorRef mean,
                        Matrix& covariance, BlockScratch& w) {
  if (map.IsIdentity()) return absl::OkStatus();
  const Index size = covariance.rows();
  w.root = covariance.selfadjointView<Eigen::Lower>();
  w.prior = prior_precision;
  if (!stands) KeepOfPrior(w.root, prior_precision, w);
  for (int side = 0; side < 2; ++side) {
    for (Index j = 0; j < size; ++j) map.Turn(w.root.col(j));
    w.root.transposeInPlace();
  }
  if (!FactorInPlace(w.root)) return NotPositiveDefinite();
  w.root.triangularView<Eigen::StrictlyUpper>().setZero();
  PullRoot(map, w);
  const absl::StatusOr<double> share = AddPrecision(w, covariance);
  if (!share.ok()) return share.status();
  w.prior *= *share;
  map.Apply(mean);
  PullToPrior(map, prior_mean, w.prior, stands, mean, w);
  mean.noalias() += covariance.selfadjointView<Eigen::Lower>() * w.pull;
  return absl::OkStatus();
}

absl::Status ChangeDensePrior(ConstVectorRef prior_mean, ConstVectorRef before,
                              ConstVectorRef after, bool stands, VectorRef mean, Matrix& covariance,
                              BlockScratch& w) {
  w.root = covariance.selfadjointView<Eigen::Lower>();
  w.prior = before;
  if (!stands) KeepOfPrior(w.root, before, w);
  if (!FactorInPlace(w.root)) return NotPositiveDefinite();
  w.root.triangularView<Eigen::StrictlyUpper>().setZero();
  w.drawing = w.prior.cwiseProduct(after.cwiseQuotient(before)) - w.prior;
  w.pulled = w.drawing.asDiagonal() * w.root;
  const absl::StatusOr<double> share = AddPrecision(w, covariance);
  if (!share.ok()) return share.status();
  w.drawing *= *share;
  w.origin = mean - prior_mean;
  w.pull = w.drawing.cwiseProduct(w.origin);
  mean.noalias() -= covariance.selfadjointView<Eigen::Lower>() * w.pull;
  w.pull.array() *= (mean - prior_mean).array();
  return absl::OkStatus();
}

}  // namespace prequel
