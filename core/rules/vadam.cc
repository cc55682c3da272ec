#include "core/rules/vadam.h"

#include <cmath>

#include "core/linalg/tiles.h"
#include "core/rules/derivatives.h"

namespace prequel {

absl::Status Vadam::Configure(Options& options) {
  mode.ConfigureDataset(options,
                        "its precision is made of squares of a minibatch's mean gradient, which "
                        "do not add up to a prior for the next minibatch; vogn's do");
  predictive.Configure(options);
  options.Positive("alpha", &alpha, 10);
  options.Real("beta1", &beta1, 0, 0.9999);
  options.Real("beta2", &beta2, 0, 0.999999);
  options.Integer("samples", &samples, 1, StepInput::kMaxDraws);
  return options.Finish();
}

absl::Status Vadam::Step(const StepInput& in, const DiagonalGaussian& q, const State& state,
                         DiagonalGaussian& next_q, State& next_state) const {
  RuleScratch& w = in.scratch;
  AverageOverDraws(in, q.mean, q.precision, samples, Curvature::kNone);

  const Index size = q.size();
  const bool first = state.steps == 0;
  next_q.mean.resize(size);
  next_q.precision.resize(size);
  next_state.momentum.resize(size);
  next_state.squares.resize(size);
  next_state.steps = state.steps + 1;
  const auto t = static_cast<double>(next_state.steps);
  const double step = alpha / (1 - std::pow(beta1, t));
  const double squares_scale = 1 / (1 - std::pow(beta2, t));
  ForEachTile(size, [&](Index at, Index n) {
    const auto m = q.mean.segment(at, n).array();
    const auto prior = in.prior_precision.segment(at, n).array();
    const Tile g = w.mean_gradient.segment(at, n).array() * (-1 / in.rows());
    const Tile delta = prior / in.examples;
    Tile b = (1 - beta1) * (g + delta * (m - in.prior_mean.segment(at, n).array()));
    Tile s = (1 - beta2) * g.square();
    if (!first) {
      b += beta1 * state.momentum.segment(at, n).array();
      s += beta2 * state.squares.segment(at, n).array();
    }
    next_q.mean.segment(at, n).array() = m - step * b / ((squares_scale * s).sqrt() + delta);
    next_q.precision.segment(at, n).array() = in.examples * s + prior;
    next_state.momentum.segment(at, n) = b;
    next_state.squares.segment(at, n) = s;
  });
  return absl::OkStatus();
}

}  // namespace prequel
