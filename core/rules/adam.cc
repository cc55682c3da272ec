#include "core/rules/adam.h"

#include "core/linalg/tiles.h"

namespace prequel {

absl::Status Adam::Configure(Options& options) {
  mode.ConfigureDataset(options,
                        "a point does not say how sure it is, so it cannot be the prior "
                        "of the next minibatch");
  options.Positive("alpha", &alpha, 10);
  options.Real("beta1", &beta1, 0, 0.9999);
  options.Real("beta2", &beta2, 0, 0.999999);
  options.Positive("epsilon", &epsilon, 1);
  return options.Finish();
}

absl::Status Adam::Step(const StepInput& in, const PointMass& q, const State& state,
                        PointMass& next_q, State& next_state) const {
  Vector& gradient = in.scratch.gradient;
  if (!in.at_mean) in.expansion.Forward(q.mean);
  in.expansion.Expect(Expectation::kAtMean);
  in.expansion.BackPropagate(q.mean, gradient);

  const Index size = q.size();
  next_q.mean.resize(size);
  AdamAverages averages(state, beta1, beta2, size, next_state);
  Tile b, s;
  ForEachTile(size, [&](Index at, Index n) {
    const auto m = q.mean.segment(at, n).array();
    const Tile g = in.prior_precision.segment(at, n).array() *
                       (m - in.prior_mean.segment(at, n).array()) / in.examples -
                   gradient.segment(at, n).array() / in.rows();
    averages.Advance(at, g, g, b, s);
    next_q.mean.segment(at, n).array() = m - alpha * averages.momentum_scale() * b /
                                                 ((averages.squares_scale() * s).sqrt() + epsilon);
  });
  return absl::OkStatus();
}

}  // namespace prequel
