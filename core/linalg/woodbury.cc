#include "core/linalg/woodbury.h"

#include <cmath>

#include "core/linalg/cholesky.h"
#include "core/linalg/sum_log.h"

namespace prequel {

absl::Status Woodbury::Factor(ConstVectorRef d, ConstMatrixRef w) {
  deviation_ = d.cwiseSqrt().cwiseInverse();
  scaled_.resize(w.rows(), w.cols());
  scaled_ = deviation_.asDiagonal() * w;
  factor_.setIdentity(w.cols(), w.cols());
  factor_.selfadjointView<Eigen::Lower>().rankUpdate(scaled_.transpose());
  const bool factored = FactorInPlace(factor_);
  log_det_ = SumLog(d) + LogDeterminant(factor_);
  if (!factored || !std::isfinite(log_det_)) {
    return absl::InternalError("a precision of low rank is not finite");
  }
  return absl::OkStatus();
}

void Woodbury::Solve(ConstVectorRef v, Vector& out) {
  out = deviation_.cwiseProduct(v);
  weights_.resize(rank());
  weights_.noalias() = scaled_.transpose() * out;
  SolveInner(weights_);
  out.noalias() -= scaled_ * weights_;
  out.array() *= deviation_.array();
}

void Woodbury::SolveColumns(ConstMatrixRef v, Matrix& out) {
  out.resize(v.rows(), v.cols());
  out = deviation_.asDiagonal() * v;
  inner_weights_.resize(rank(), v.cols());
  inner_weights_.noalias() = scaled_.transpose() * out;
  SolveInner(inner_weights_);
  out.noalias() -= scaled_ * inner_weights_;
  out.array().colwise() *= deviation_.array();
}

// (Λ⁻¹)_jj = (1 − ‖row j of X C⁻ᵀ‖²)/d_j.
double Woodbury::TraceOfInverse(ConstVectorRef v) {
  gain_ = scaled_;
  factor_.transpose().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(gain_);
  const auto weights = v.array() * deviation_.array().square();
  return (weights * (1 - gain_.rowwise().squaredNorm().array())).sum();
}

void Woodbury::Deviate(ConstVectorRef z, Vector& x) {
  x = z.head(size());
  weights_ = z.tail(rank());
  weights_.noalias() -= scaled_.transpose() * x;
  SolveInner(weights_);
  x.noalias() += scaled_ * weights_;
  x.array() *= deviation_.array();
}

}  // namespace prequel
