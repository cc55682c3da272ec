#include "core/posteriors/full_gaussian.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/config/learner_config.h"
#include "core/linalg/cholesky.h"

namespace prequel {

absl::Status FullGaussian::CheckSize(Index params) {
  return CheckParams(params, ConfigLimits::kMaxFullParameters,
                     "fit a full posterior: use posterior \"diagonal\" or a smaller network");
}

FullGaussian FullGaussian::FromDiagonal(const Vector& mean, const Vector& variances) {
  FullGaussian q;
  q.mean = mean;
  q.covariance = Matrix::Zero(mean.size(), mean.size());
  q.covariance.diagonal() = variances;
  return q;
}

bool FullGaussian::IsFinite() const {
  // A sum is finite only when every term is (overflow to infinity is a failure as well); it
  // vectorises where a test per element does not.
  return mean.allFinite() && covariance.diagonal().allFinite() &&
         covariance.diagonal().minCoeff() > 0;
}

void FullGaussian::Diffuse(const Vector& keep, const Vector& added, Matrix& /*scratch*/) {
  DiffuseCovariance(keep, added, covariance);
}

absl::Status FullGaussian::Carry(const Carrying& by, CarryingScratch& w) {
  return CarryDense(by.OfAll(), by.prior_mean, by.prior_precision, by.stands, mean, covariance,
                    w.first);
}

// DiffuseCovariance skips the first weights, which stay as they are where only the last layer
// drifts.
void DiffuseCovariance(ConstVectorRef keep, ConstVectorRef added, Matrix& covariance) {
  const Index size = covariance.rows();
  Index first = 0;
  while (first < size && keep[first] == 1) ++first;
  for (Index j = 0; j < size; ++j) {
    const Index start = std::max(j, first);
    auto column = covariance.col(j).tail(size - start).array();
    column *= keep.tail(size - start).array().sqrt() * std::sqrt(keep[j]);
    covariance(j, j) += added[j];
  }
}

absl::Status FactorCovariance(const Matrix& covariance, Matrix& factor) {
  factor = covariance;
  if (!FactorInPlace(factor)) {
    return absl::InternalError("the posterior covariance is not positive definite");
  }
  return absl::OkStatus();
}

absl::Status FullSampler::Prepare(const FullGaussian& posterior) {
  mean_ = posterior.mean;
  return FactorCovariance(posterior.covariance, factor_);
}

void FullSampler::Draw(const Stream& stream, Vector& theta) {
  normal_.resize(mean_.size());
  FillNormal(stream, normal_);
  theta = mean_;
  theta.noalias() += factor_.triangularView<Eigen::Lower>() * normal_;
}

// Kl of q with covariance C Cᵀ and p with R Rᵀ, and δ between the means, is
//   2 KL = ‖R⁻¹ C‖²_F − D + log|R Rᵀ| − log|C Cᵀ| + |R⁻¹ δ|²
double FullDivergence::Kl(const Matrix& q, const Matrix& p, ConstVectorRef moved) {
  if (!FactorCovariance(q, root_).ok() || !FactorCovariance(p, p_root_).ok()) {
    return std::numeric_limits<double>::infinity();
  }
  const double logs = LogDeterminant(p_root_) - LogDeterminant(root_);
  const auto solve = p_root_.triangularView<Eigen::Lower>();
  root_.triangularView<Eigen::StrictlyUpper>().setZero();
  solve.solveInPlace(root_);
  solved_ = moved;
  solve.solveInPlace(solved_);
  return 0.5 * (root_.squaredNorm() - static_cast<double>(q.rows()) + logs + solved_.squaredNorm());
}

}  // namespace prequel
