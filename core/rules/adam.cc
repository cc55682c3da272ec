#include "core/rules/adam.h"

#include <cmath>

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
  const bool first = state.steps == 0;
  next_q.mean.resize(size);
  next_state.momentum.resize(size);
  next_state.squares.resize(size);
  next_state.steps = state.steps + 1;
  const auto t = static_cast<double>(next_state.steps);
  const double momentum_scale = 1 / (1 - std::pow(beta1, t));
  const double squares_scale = 1 / (1 - std::pow(beta2, t));
  ForEachTile(size, [&](Index at, Index n) {
    const auto m = q.mean.segment(at, n).array();
    const Tile g = in.prior_precision.segment(at, n).array() *
                       (m - in.prior_mean.segment(at, n).array()) / in.examples -
                   gradient.segment(at, n).array() / in.rows();
    Tile b = (1 - beta1) * g, s = (1 - beta2) * g.square();
    if (!first) {
      b += beta1 * state.momentum.segment(at, n).array();
      s += beta2 * state.squares.segment(at, n).array();
    }
    next_q.mean.segment(at, n).array() =
        m - alpha * momentum_scale * b / ((squares_scale * s).sqrt() + epsilon);
    next_state.momentum.segment(at, n) = b;
    next_state.squares.segment(at, n) = s;
  });
  return absl::OkStatus();
}

}  // namespace prequel
