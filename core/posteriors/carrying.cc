#include "core/posteriors/carrying.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/QR>

#include "absl/status/status.h"
#include "core/linalg/cholesky.h"

namespace prequel {
namespace {

// A square on the diagonal of a root is as good as rounding when it is less than this much of the
// largest entry on the diagonal.
constexpr double kRounding = 1e-8;
constexpr double kOfAsMuch = 1e-9;  // by which a belief that stands may be less sure than its prior
constexpr double kJitter = 1e-12;

absl::Status NotPositiveDefinite() {
  return absl::InternalError("the posterior covariance is not positive definite");
}

// KeepOfPrior writes K Λ₀ of a belief that drifts to w.prior. With P̃ = Λ₀^{½} P Λ₀^{½} and r_i =
// Σ_j |P̃_ij|, K = diag(1/max(1, r_i)) leaves K^{½} P̃ K^{½} ≤ I (Schur's test with √r). `full`: P,
// both triangles.
void KeepOfPrior(const Matrix& full, ConstVectorRef prior_precision, BlockScratch& w) {
  w.pull = prior_precision.cwiseSqrt();
  for (Index i = 0; i < full.rows(); ++i) {
    const double reach = w.pull[i] * full.col(i).cwiseAbs().dot(w.pull);
    w.prior[i] = prior_precision[i] / std::max(1.0, reach);
  }
}

// PullRoot writes E L with E = Λ₀ − T⁻ᵀ Λ₀ T⁻¹ to w.pulled, of L, a lower triangle, in w.root.
void PullRoot(const WeightMap& map, BlockScratch& w) {
  w.pulled = w.root;
  for (Index j = 0; j < w.root.cols(); ++j) {
    map.TurnBack(w.pulled.col(j));
    w.pulled.col(j).array() *= w.prior.array();
    map.TurnBackTransposed(w.pulled.col(j));
    w.pulled.col(j) = w.prior.cwiseProduct(w.root.col(j)) - w.pulled.col(j);
  }
}

// AddPrecision writes P' = (L⁻ᵀ L⁻¹ + E)⁻¹ = L (I + Lᵀ E L)⁻¹ Lᵀ of L in w.root to `covariance`,
// with E L in w.pulled. False, and `covariance` as it was, where rounding could be all that is left
// of a sum.
bool AddPrecision(BlockScratch& w, Matrix& covariance) {
  w.inner.setIdentity(w.root.rows(), w.root.cols());
  w.inner.triangularView<Eigen::Lower>() += w.root.transpose() * w.pulled;
  const double largest = w.inner.diagonal().maxCoeff();
  if (!FactorInPlace(w.inner)) return false;
  const double least = w.inner.diagonal().minCoeff();
  if (least * least < kRounding * largest) return false;
  w.pulled = w.root.transpose();
  w.inner.triangularView<Eigen::Lower>().solveInPlace(w.pulled);
  covariance.triangularView<Eigen::Lower>() = w.pulled.transpose() * w.pulled;
  return true;
}

// FindRoot finds L of P = L Lᵀ, both triangles of which are in w.root.
bool FindRoot(BlockScratch& w) {
  if (!FactorInPlace(w.root)) return false;
  w.root.triangularView<Eigen::StrictlyUpper>().setZero();
  return true;
}

// FindRootOf is FindRoot of P in the lower triangle of `covariance`, of which rounding may have
// left an eigenvalue that is not positive.
bool FindRootOf(const Matrix& covariance, BlockScratch& w) {
  w.root = covariance.selfadjointView<Eigen::Lower>();
  if (FindRoot(w)) return true;
  w.root = covariance.selfadjointView<Eigen::Lower>();
  w.root.diagonal() *= 1 + kJitter;
  return FindRoot(w);
}

// IsAsSure: whether P, both triangles of it, is at least as sure of each weight as the prior is. A
// belief that stands is, except for rounding; one that is not gives up no more of the prior than it
// has.
bool IsAsSure(const Matrix& full, ConstVectorRef prior_precision) {
  return (full.diagonal().array() * prior_precision.array()).maxCoeff() <= 1 + kOfAsMuch;
}

// CarryByParts finds P' = (S' + Λ₁)⁻¹ with S' = T⁻ᵀ S T⁻¹ of the prior Λ₀ in w.prior, Λ₁ in
// w.drawing, without a difference of large numbers: with P = L Lᵀ,
//   S = L⁻ᵀ M L⁻¹,   M = I − Lᵀ Λ₀ L = C Cᵀ,   F = T⁻ᵀ L⁻ᵀ C,
//   [Fᵀ Λ₁^{−½}; I] = Q R,   P' = Λ₁^{−½} R⁻¹ R⁻ᵀ Λ₁^{−½}
// where what rounding leaves of M below zero counts as zero. Several times the work of
// AddPrecision, and allocates: it is for units that moved far, or a prior that is nearly all there
// is.
absl::Status CarryByParts(const WeightMap* map, Matrix& covariance, BlockScratch& w) {
  if (!FindRootOf(covariance, w)) return NotPositiveDefinite();
  const Index size = covariance.rows();
  w.inner.setIdentity(size, size);
  w.inner.noalias() -= w.root.transpose() * w.prior.asDiagonal() * w.root;
  const Eigen::LDLT<Matrix> parts(w.inner);
  w.pulled = parts.matrixL();
  w.pulled *= parts.vectorD().cwiseMax(0).cwiseSqrt().asDiagonal();
  w.pulled = parts.transpositionsP().transpose() * w.pulled;
  w.root.triangularView<Eigen::Lower>().transpose().solveInPlace(w.pulled);
  Matrix stacked(2 * size, size);
  const Vector widths = w.drawing.cwiseSqrt().cwiseInverse();
  for (Index j = 0; j < size; ++j) {
    if (map != nullptr) map->TurnBackTransposed(w.pulled.col(j));
    stacked.row(j) = w.pulled.col(j).cwiseProduct(widths).transpose();
  }
  stacked.bottomRows(size).setIdentity();
  const Eigen::HouseholderQR<Eigen::Ref<Matrix>> both(stacked);
  w.inner = widths.asDiagonal();
  stacked.topRows(size).triangularView<Eigen::Upper>().transpose().solveInPlace(w.inner);
  covariance.triangularView<Eigen::Lower>() = w.inner.transpose() * w.inner;
  return absl::OkStatus();
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

// CarryDense uses T P Tᵀ = L Lᵀ and E as above: P' = (L⁻ᵀ L⁻¹ + E)⁻¹ = L (I + Lᵀ E L)⁻¹ Lᵀ. Where
// units hardly moved, or where the rows have told far more than the prior, what is inverted is
// nearly I.
absl::Status CarryDense(const WeightMap& map, ConstVectorRef prior_mean,
                        ConstVectorRef prior_precision, bool stands, VectorRef mean,
                        Matrix& covariance, BlockScratch& w) {
  if (map.IsIdentity()) return absl::OkStatus();
  w.root = covariance.selfadjointView<Eigen::Lower>();
  w.prior = prior_precision;
  if (!stands || !IsAsSure(w.root, prior_precision)) KeepOfPrior(w.root, prior_precision, w);
  for (int side = 0; side < 2; ++side) {
    for (Index j = 0; j < w.root.cols(); ++j) map.Turn(w.root.col(j));
    w.root.transposeInPlace();
  }
  bool added = FindRoot(w);
  if (added) {
    PullRoot(map, w);
    added = AddPrecision(w, covariance);
  }
  if (!added) {
    w.drawing = w.prior;
    absl::Status status = CarryByParts(&map, covariance, w);
    if (!status.ok()) return status;
  }
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
  if (!stands || !IsAsSure(w.root, before)) KeepOfPrior(w.root, before, w);
  w.drawing = w.prior.cwiseProduct(after.cwiseQuotient(before));
  bool added = FindRoot(w);
  if (added) {
    w.pulled = (w.drawing - w.prior).asDiagonal() * w.root;
    added = AddPrecision(w, covariance);
  }
  if (!added) {
    absl::Status status = CarryByParts(nullptr, covariance, w);
    if (!status.ok()) return status;
  }
  w.drawing -= w.prior;
  w.origin = mean - prior_mean;
  w.pull = w.drawing.cwiseProduct(w.origin);
  mean.noalias() -= covariance.selfadjointView<Eigen::Lower>() * w.pull;
  w.pull.array() *= (mean - prior_mean).array();
  return absl::OkStatus();
}

}  // namespace prequel
