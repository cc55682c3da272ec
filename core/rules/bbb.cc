#include "core/rules/bbb.h"

#include "core/linalg/tiles.h"
#include "core/rules/derivatives.h"

namespace prequel {

absl::Status Bbb::Configure(Options& options) {
  options.Describe("Bayes by backprop: reparameterised gradients with Adam's steps",
                   "a gradient of the minibatch for each draw");
  mode.Configure(options);
  predictive.Configure(options);
  if (mode.dataset()) {
    schedule.Configure(options);
  } else {
    alpha = 0.05;
    Mode::RefuseDatasetOptions(options, {"schedule"},
                               "every minibatch is fitted anew, in as many steps as the last");
  }
  options.Help("step size").Positive("alpha", &alpha, 10);
  options.Help("momentum").Real("beta1", &beta1, 0, 0.9999);
  options.Help("memory of squared gradients").Real("beta2", &beta2, 0, 0.999999);
  options.Help("added to the root of squared gradients").Positive("epsilon", &epsilon, 1);
  options.Help("draws of the weights of a step")
      .Integer("samples", &samples, 1, StepInput::kMaxDraws);
  return options.Finish();
}

absl::Status Bbb::Step(const StepInput& in, const DiagonalGaussian& q, const State& state,
                       DiagonalGaussian& next_q, State& next_state) const {
  RuleScratch& w = in.scratch;
  AverageOverDraws(in, q.mean, q.precision, samples, Curvature::kReparameterized);

  const Index size = q.size();
  next_q.mean.resize(size);
  next_q.precision.resize(size);
  const double rate = alpha * schedule.Factor(state.steps);
  AdamAverages averages(state, beta1, beta2, 2 * size, next_state);
  Tile b, s, step;
  const auto descend = [&](Index at, const Tile& g) -> const Tile& {
    averages.Advance(at, g, g, b, s);
    step = rate * averages.momentum_scale() * b / ((averages.squares_scale() * s).sqrt() + epsilon);
    return step;
  };
  ForEachTile(size, [&](Index at, Index n) {
    const auto m = q.mean.segment(at, n).array();
    const auto prior = in.prior_precision.segment(at, n).array();
    const Tile before = q.precision.segment(at, n);
    const Tile g_mean = prior * (m - in.prior_mean.segment(at, n).array()) / in.examples -
                        w.mean_gradient.segment(at, n).array() / in.rows();
    // Σ Λ ε ∇ℓ / Λ = Σ ε ∇ℓ.
    const Tile g_log =
        (w.curvature.segment(at, n).array() / in.rows() + prior / in.examples) / before -
        1 / in.examples;
    next_q.mean.segment(at, n).array() = m - descend(at, g_mean);
    next_q.precision.segment(at, n).array() = before * (2 * descend(size + at, g_log)).exp();
  });
  return absl::OkStatus();
}

}  // namespace prequel
