#include "core/rules/natural_gradient_svi.h"

#include "core/linalg/tiles.h"

namespace prequel {
namespace {

// The most deviations that a step moves m by, and the most that it moves log Λ by.
constexpr double kMost = 1;

}  // namespace

absl::Status NaturalGradientSvi::Configure(Options& options) {
  options.Describe("stochastic variational inference by natural gradients, a baseline");
  mode.Configure(options);
  predictive.Configure(options);
  if (!mode.dataset()) alpha = 0.2;
  options.Help("step size").Positive("alpha", &alpha, 1);
  options.Help("draws of the weights of a step")
      .Integer("samples", &samples, 1, StepInput::kMaxDraws);
  return options.Finish();
}

absl::Status NaturalGradientSvi::Step(const StepInput& in, const DiagonalGaussian& q,
                                      const State& state, DiagonalGaussian& next_q,
                                      State& next_state) const {
  RuleScratch& w = in.scratch;
  AverageOverDraws(in, q.mean, q.precision, samples, Curvature::kReparameterized);
  next_q.mean.resize(q.size());
  next_q.precision.resize(q.size());
  next_state.steps = state.steps + 1;
  const double weight = in.examples / in.rows();
  ForEachTile(q.size(), [&](Index at, Index n) {
    const auto m = q.mean.segment(at, n).array();
    const auto prior = in.prior_precision.segment(at, n).array();
    const Tile before = q.precision.segment(at, n);
    const Tile descent = prior * (m - in.prior_mean.segment(at, n).array()) -
                         weight * w.mean_gradient.segment(at, n).array();
    const Tile error = weight * w.curvature.segment(at, n).array() + prior - before;
    const Tile deviation = before.rsqrt();
    next_q.mean.segment(at, n).array() =
        m - deviation * (alpha * deviation * descent).max(-kMost).min(kMost);
    next_q.precision.segment(at, n).array() =
        before * (alpha * error / before).max(-kMost).min(kMost).exp();
  });
  return absl::OkStatus();
}

}  // namespace prequel
