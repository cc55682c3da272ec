#include "core/rules/sgd.h"

#include "core/linalg/tiles.h"
#include "core/rules/derivatives.h"

namespace prequel {

absl::Status Sgd::Configure(Options& options) {
  options.Describe("stochastic gradients, a baseline without uncertainty",
                   "a gradient of the minibatch");
  mode.ConfigureDataset(options,
                        "a point does not say how sure it is, so it cannot be the prior "
                        "of the next minibatch");
  schedule.Configure(options);
  options.Help("step size").Positive("alpha", &alpha, 10);
  options.Help("momentum").Real("momentum", &momentum, 0, 0.9999);
  return options.Finish();
}

absl::Status Sgd::Step(const StepInput& in, const PointMass& q, const State& state,
                       PointMass& next_q, State& next_state) const {
  EvaluateAtMean(in, q.mean, Curvature::kNone);
  const Vector& gradient = in.scratch.mean_gradient;
  const Index size = q.size();
  const bool first = state.steps == 0;
  const double step = alpha * schedule.Factor(state.steps);
  next_q.mean.resize(size);
  next_state.momentum.resize(size);
  next_state.steps = state.steps + 1;
  ForEachTile(size, [&](Index at, Index n) {
    const auto m = q.mean.segment(at, n).array();
    Tile b = in.prior_precision.segment(at, n).array() *
                 (m - in.prior_mean.segment(at, n).array()) / in.examples -
             gradient.segment(at, n).array() / in.rows();
    if (!first) b += momentum * state.momentum.segment(at, n).array();
    next_q.mean.segment(at, n).array() = m - step * b;
    next_state.momentum.segment(at, n) = b;
  });
  return absl::OkStatus();
}

}  // namespace prequel
