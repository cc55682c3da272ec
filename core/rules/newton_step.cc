#include "core/rules/newton_step.h"

#include "core/linalg/cholesky.h"
#include "core/linalg/tiles.h"

namespace prequel {
namespace {

absl::Status NotPositiveDefinite() {
  return absl::InternalError("the precision after the step is not positive definite");
}

}  // namespace

void NewtonStep::Configure(Options& options) {
  mode.Configure(options);
  predictive.Configure(options);
  averaging.Configure(options);
  if (mode.dataset()) {
    beta = 0.03;
    options.Help("curvature of an example that the precision begins with")
        .Real("initial_curvature", &initial_curvature, 0, 1e6);
  } else {
    Mode::RefuseDatasetOptions(options, {"initial_curvature"},
                               "the first step starts at the posterior");
  }
  options.Help("step size").Positive("beta", &beta, 1);
}

absl::Status NewtonStep::Step(const StepInput& in, const DiagonalGaussian& q, const State& state,
                              DiagonalGaussian& next_q, State& next_state) const {
  const bool starts = mode.dataset() && state.steps == 0;
  next_state.steps = state.steps + 1;
  if (!starts) return Advance(in, q, next_q);
  next_q.mean = q.mean;
  next_q.precision = in.prior_precision.array() + in.examples * initial_curvature;
  return Advance(in, next_q, next_q);
}

absl::Status NewtonStep::Step(const StepInput& in, const FullGaussian& q, const State& state,
                              FullGaussian& next_q, State& next_state) const {
  const bool starts = mode.dataset() && state.steps == 0;
  next_state.steps = state.steps + 1;
  if (!starts) return Advance(in, q, next_q);
  next_q.mean = q.mean;
  next_q.covariance.setZero(q.size(), q.size());
  next_q.covariance.diagonal() =
      (in.prior_precision.array() + in.examples * initial_curvature).inverse();
  return Advance(in, next_q, next_q);
}

absl::Status NewtonStep::Advance(const StepInput& in, const DiagonalGaussian& q,
                                 DiagonalGaussian& next_q) const {
  averaging.Evaluate(in, q, curvature);
  const RuleScratch& w = in.scratch;
  const double weight = in.examples / in.rows();
  next_q.mean.resize(q.size());
  next_q.precision.resize(q.size());
  ForEachTile(q.size(), [&](Index at, Index n) {
    const auto m = q.mean.segment(at, n).array();
    const auto prior = in.prior_precision.segment(at, n).array();
    const Tile before = q.precision.segment(at, n);
    const Tile error = weight * w.curvature.segment(at, n).array() + prior - before;
    Tile after = before + beta * error;
    if (improved) after += 0.5 * beta * beta * error.square() / before;
    const Tile descent = prior * (m - in.prior_mean.segment(at, n).array()) -
                         weight * w.mean_gradient.segment(at, n).array();
    next_q.mean.segment(at, n).array() = m - beta * descent / after;
    next_q.precision.segment(at, n) = after;
  });
  return absl::OkStatus();
}

absl::Status NewtonStep::Advance(const StepInput& in, const FullGaussian& q,
                                 FullGaussian& next_q) const {
  RuleScratch& w = in.scratch;
  RuleScratch::Full& full = w.full;
  const Index size = q.size();
  const double weight = in.examples / in.rows();

  // step := Λ₀, then its product with m − m₀, then Λ₀ + (N/B) H.
  if (in.prior_covariance == nullptr) {
    full.step.setZero(size, size);
    full.step.diagonal() = in.prior_precision;
  } else {
    full.anchor = *in.prior_covariance;
    if (!FactorInPlace(full.anchor)) return NotPositiveDefinite();
    InverseOfFactor(full.anchor, full.root, full.step);
  }
  w.theta = q.mean - in.prior_mean;
  w.precision.resize(size);
  w.precision.noalias() = full.step.selfadjointView<Eigen::Lower>() * w.theta;

  absl::Status status = FactorCovariance(q.covariance, full.anchor);
  if (!status.ok()) return status;
  InverseOfFactor(full.anchor, full.root, full.precision);  // Λ
  status = averaging.Evaluate(in, q, curvature, weight, full.step);
  if (!status.ok()) return status;
  w.precision -= weight * w.mean_gradient;

  // step := Λ'.
  if (improved) {  // with Λ⁻¹ = C Cᵀ, E Λ⁻¹ E = (E C) (E C)ᵀ
    full.step -= full.precision;
    full.anchor.triangularView<Eigen::StrictlyUpper>().setZero();
    full.root.noalias() = full.step.selfadjointView<Eigen::Lower>() * full.anchor;
    full.step = full.precision + beta * full.step;
    full.step.selfadjointView<Eigen::Lower>().rankUpdate(full.root, 0.5 * beta * beta);
  } else {
    full.step = (1 - beta) * full.precision + beta * full.step;
  }
  if (!FactorInPlace(full.step)) return NotPositiveDefinite();
  full.step.triangularView<Eigen::Lower>().solveInPlace(w.precision);
  full.step.transpose().triangularView<Eigen::Upper>().solveInPlace(w.precision);
  next_q.mean = q.mean - beta * w.precision;
  InverseOfFactor(full.step, full.root, next_q.covariance);
  return absl::OkStatus();
}

}  // namespace prequel
