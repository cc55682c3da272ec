#include "core/rules/adam.h"

#include "core/linalg/tiles.h"

namespace prequel {

absl::Status Adam::Configure(Options& options) {
  options.Describe("Adam, a baseline without uncertainty", "a gradient of the minibatch");
  mode.ConfigureDataset(options,
                        "a point does not say how sure it is, so it cannot be the prior "
                        "of the next minibatch");
  schedule.Configure(options);
  ConfigureRates(options);
  return options.Finish();
}

void Adam::ConfigureRates(Options& options) {
  options.Help("step size").Positive("alpha", &alpha, 10);
  options.Help("momentum").Real("beta1", &beta1, 0, 0.9999);
  options.Help("memory of squared gradients").Real("beta2", &beta2, 0, 0.999999);
  options.Help("added to the root of squared gradients").Positive("epsilon", &epsilon, 1);
}

absl::Status Adam::Step(const StepInput& in, const PointMass& q, const State& state,
                        PointMass& next_q, State& next_state) const {
  StepMean(in, q.mean, state, next_q.mean, next_state);
  return absl::OkStatus();
}

void Adam::StepMean(const StepInput& in, const Vector& mean, const State& state, Vector& next_mean,
                    State& next_state) const {
  Vector& gradient = in.scratch.gradient;
  if (!in.at_mean) in.expansion.Forward(mean);
  in.expansion.Expect(Expectation::kAtMean);
  in.expansion.BackPropagate(mean, gradient);

  const Index size = mean.size();
  const double rate = alpha * schedule.Factor(state.steps);
  next_mean.resize(size);
  AdamAverages averages(state, beta1, beta2, size, next_state);
  const double step = rate * averages.momentum_scale();
  Tile b, s;
  ForEachTile(size, [&](Index at, Index n) {
    const auto m = mean.segment(at, n).array();
    const Tile g = in.prior_precision.segment(at, n).array() *
                       (m - in.prior_mean.segment(at, n).array()) / in.examples -
                   gradient.segment(at, n).array() / in.rows();
    averages.Advance(at, g, g, b, s);
    next_mean.segment(at, n).array() =
        m - step * b / ((averages.squares_scale() * s).sqrt() + epsilon);
  });
}

}  // namespace prequel
