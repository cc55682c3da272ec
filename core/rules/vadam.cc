#include "core/rules/vadam.h"

#include "core/linalg/tiles.h"
#include "core/rules/derivatives.h"

namespace prequel {

absl::Status Vadam::Configure(Options& options) {
  options.Describe("Adam with weight noise as a posterior",
                   "a gradient of the minibatch for each draw");
  mode.ConfigureDataset(options,
                        "its precision is made of squares of a minibatch's mean gradient, which "
                        "do not add up to a prior for the next minibatch; vogn's do");
  predictive.Configure(options);
  schedule.Configure(options);
  options.Help("step size").Positive("alpha", &alpha, 10);
  options.Help("momentum").Real("beta1", &beta1, 0, 0.9999);
  options.Help("memory of squared gradients").Real("beta2", &beta2, 0, 0.999999);
  options.Help("draws of the weights of a step")
      .Integer("samples", &samples, 1, StepInput::kMaxDraws);
  return options.Finish();
}

absl::Status Vadam::Step(const StepInput& in, const DiagonalGaussian& q, const State& state,
                         DiagonalGaussian& next_q, State& next_state) const {
  RuleScratch& w = in.scratch;
  AverageOverDraws(in, q.mean, q.precision, samples, Curvature::kNone);

  const Index size = q.size();
  const double rate = alpha * schedule.Factor(state.steps);
  next_q.mean.resize(size);
  next_q.precision.resize(size);
  AdamAverages averages(state, beta1, beta2, size, next_state);
  const double step = rate * averages.momentum_scale();
  Tile b, s;
  ForEachTile(size, [&](Index at, Index n) {
    const auto m = q.mean.segment(at, n).array();
    const auto prior = in.prior_precision.segment(at, n).array();
    const Tile g = w.mean_gradient.segment(at, n).array() * (-1 / in.rows());
    const Tile delta = prior / in.examples;
    const Tile pulled = g + delta * (m - in.prior_mean.segment(at, n).array());
    averages.Advance(at, pulled, g, b, s);
    next_q.mean.segment(at, n).array() =
        m - step * b / ((averages.squares_scale() * s).sqrt() + delta);
    next_q.precision.segment(at, n).array() = in.examples * s + prior;
  });
  return absl::OkStatus();
}

}  // namespace prequel
