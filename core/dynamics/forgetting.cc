#include "core/dynamics/forgetting.h"

#include <limits>

#include "core/linalg/cholesky.h"

namespace prequel {
namespace {

constexpr double kLeastKept = 1e-12;  // k: as good as nothing, and to be divided by

// Forget takes the covariance of weights that is dense, of which only the lower triangle is read.
// With P = L Lᵀ,
//   M = I + Lᵀ diag(a/k) L = R Rᵀ,   P' = (R⁻¹ Lᵀ diag(1/√k))ᵀ (R⁻¹ Lᵀ diag(1/√k))
// so that P⁻¹ is never formed and nothing cancels. About 4D³ flops.
void Forget(ConstVectorRef keep, ConstVectorRef added, DynamicsScratch& scratch,
            Matrix& covariance) {
  if (!FactorInPlace(covariance)) {
    covariance.setConstant(std::numeric_limits<double>::quiet_NaN());
    return;
  }
  covariance.triangularView<Eigen::StrictlyUpper>().setZero();
  Matrix& root = scratch.matrix;
  root = (added.array() / keep.array()).sqrt().matrix().asDiagonal() * covariance;
  Matrix& inner = scratch.inner;
  inner.setIdentity(covariance.rows(), covariance.rows());
  inner.selfadjointView<Eigen::Lower>().rankUpdate(root.transpose());
  FactorInPlace(inner);  // I plus a positive semidefinite matrix
  root = keep.cwiseSqrt().cwiseInverse().asDiagonal() * covariance;
  inner.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(root);
  covariance.setZero();
  covariance.selfadjointView<Eigen::Lower>().rankUpdate(root);
}

}  // namespace

void Forgetting::Share(const Passage& passage, DynamicsScratch& scratch) const {
  factors_.Over(passage, scratch.keep);
  scratch.added = (1 - scratch.keep.array()) / passage.prior_variances.array();
  scratch.keep = scratch.keep.cwiseMax(kLeastKept);
}

void Forgetting::Move(const Passage& passage, FullGaussian& q, DynamicsScratch& scratch) const {
  Share(passage, scratch);
  Forget(scratch.keep, scratch.added, scratch, q.covariance);
  scratch.pull = scratch.added.cwiseProduct(passage.prior_mean - q.mean);
  q.mean.noalias() += q.covariance.selfadjointView<Eigen::Lower>() * scratch.pull;
}

void Forgetting::Move(const Passage& passage, DiagonalGaussian& q, DynamicsScratch& scratch) const {
  Share(passage, scratch);
  q.precision.array() = scratch.keep.array() * q.precision.array() + scratch.added.array();
  q.mean.array() +=
      scratch.added.array() / q.precision.array() * (passage.prior_mean - q.mean).array();
}

// LowRankGaussian's precision diag(d) + W Wᵀ keeps its form: d' = k d + a, W' = √k W.
void Forgetting::Move(const Passage& passage, LowRankGaussian& q, DynamicsScratch& scratch) const {
  Share(passage, scratch);
  q.diagonal.array() = scratch.keep.array() * q.diagonal.array() + scratch.added.array();
  q.factor.array().colwise() *= scratch.keep.array().sqrt();
  scratch.pull = scratch.added.cwiseProduct(passage.prior_mean - q.mean);
  scratch.precision.Factor(q.diagonal, q.factor).IgnoreError();  // or the mean becomes NaN
  scratch.precision.Solve(scratch.pull, scratch.keep);
  q.mean += scratch.keep;
}

void Forgetting::Move(const Passage& passage, BlockDiagonalGaussian& q,
                      DynamicsScratch& scratch) const {
  Share(passage, scratch);
  scratch.pull = scratch.added.cwiseProduct(passage.prior_mean - q.mean);
  Index offset = 0;
  for (BlockDiagonalGaussian::Block& block : q.blocks) {
    const Index size = block.size();
    Forget(scratch.keep.segment(offset, size), scratch.added.segment(offset, size), scratch,
           block.covariance);
    q.mean.segment(offset, size).noalias() +=
        block.covariance.selfadjointView<Eigen::Lower>() * scratch.pull.segment(offset, size);
    offset += size;
  }
}

void Forgetting::Move(const Passage& passage, PerUnitGaussian& q, DynamicsScratch& scratch) const {
  Share(passage, scratch);
  ForEachUnit(q.layers, [&](const DenseLayer& layer, Index j, std::size_t index) {
    Matrix& part = scratch.part;  // k, a, a (m₀ − m) and what the mean moves, of one unit
    part.resize(layer.columns(), 4);
    part.col(0) = WeightsInto(layer, j, scratch.keep);
    part.col(1) = WeightsInto(layer, j, scratch.added);
    part.col(2) = WeightsInto(layer, j, passage.prior_mean) - WeightsInto(layer, j, q.mean);
    part.col(2).array() *= part.col(1).array();
    Matrix& covariance = q.units[index].covariance;
    Forget(part.col(0), part.col(1), scratch, covariance);
    part.col(3).noalias() = covariance.selfadjointView<Eigen::Lower>() * part.col(2);
    WeightsInto(layer, j, q.mean) += part.col(3);
  });
}

void Forgetting::Move(const Passage& passage, SubsetGaussian& q, DynamicsScratch& scratch) const {
  Share(passage, scratch);
  Matrix& part = scratch.part;  // k, a and a (m₀ − m) of the weights in S
  part.resize(q.count(), 3);
  for (Index i = 0; i < q.count(); ++i) {
    const Index j = q.subset[static_cast<std::size_t>(i)];
    part.row(i) << scratch.keep[j], scratch.added[j],
        scratch.added[j] * (passage.prior_mean[j] - q.mean[j]);
  }
  Forget(part.col(0), part.col(1), scratch, q.part.covariance);
  q.part.mean.noalias() += q.part.covariance.selfadjointView<Eigen::Lower>() * part.col(2);
  Scatter(q.part.mean, q.subset, q.mean);
}

}  // namespace prequel
