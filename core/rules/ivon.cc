#include "core/rules/ivon.h"

#include <cmath>

#include "core/linalg/tiles.h"
#include "core/rules/derivatives.h"

namespace prequel {

bool Ivon::State::IsSound(Index params) const {
  return IsCount(steps) && momentum.size() == (steps > 0 ? params : 0) && momentum.allFinite();
}

absl::Status Ivon::Configure(Options& options) {
  options.Describe("improved variational online Newton",
                   "a gradient of the minibatch for each draw, as Adam's");
  mode.Configure(options);
  predictive.Configure(options);
  rescale = mode.dataset();
  if (mode.dataset()) {
    schedule.Configure(options);
    std::string size_word = "dataset_size";
    options.Help("curvature of an example that the precision begins with")
        .Positive("initial_curvature", &initial_curvature, 1e6);
    options.Help("examples that the posterior counts, in place of N")
        .PositiveOrWord("effective_size", &effective_size, &size_word, {"dataset_size"}, 1e15);
    options.Help("whether alpha is scaled by the first precision").Bool("rescale", &rescale);
  } else {
    beta2 = 0.9;
    Mode::RefuseDatasetOptions(
        options, {"schedule", "initial_curvature", "effective_size", "rescale"},
        "the curvature starts at that of the posterior, and a minibatch counts once");
  }
  std::string clip_word = "none";
  options.Help("step size").Positive("alpha", &alpha, 10);
  options.Help("momentum").Real("beta1", &beta1, 0, 0.9999);
  options.Help("memory of the curvature").Real("beta2", &beta2, 0, 0.9999999);
  options.Help("most that a weight moves in a step, in units of alpha")
      .PositiveOrWord("clip_radius", &clip_radius, &clip_word, {"none"});
  options.Help("draws of the weights of a step")
      .Integer("samples", &samples, 1, StepInput::kMaxDraws);
  return options.Finish();
}

absl::Status Ivon::Step(const StepInput& in, const DiagonalGaussian& q, const State& state,
                        DiagonalGaussian& next_q, State& next_state) const {
  const Index size = q.size();
  RuleScratch& w = in.scratch;
  const bool first = state.steps == 0;
  const double lambda = effective_size > 0 ? effective_size : in.examples;
  const bool starts = first && mode.dataset();  // from h₀, not from the prior's curvature of none
  if (starts) w.precision = (in.prior_precision.array() + lambda * initial_curvature).matrix();
  const Vector& precision = starts ? w.precision : q.precision;
  AverageOverDraws(in, q.mean, precision, samples, Curvature::kReparameterized);

  next_q.mean.resize(size);
  next_q.precision.resize(size);
  next_state.momentum.resize(size);
  next_state.steps = state.steps + 1;
  const double momentum_scale = 1 / (1 - std::pow(beta1, static_cast<double>(next_state.steps)));
  const double rate = alpha * schedule.Factor(state.steps);
  const double rho = 1 - beta2;
  ForEachTile(size, [&](Index at, Index n) {
    const auto m = q.mean.segment(at, n).array();
    const auto prior = in.prior_precision.segment(at, n).array();
    Tile g = ((beta1 - 1) / in.rows()) * w.mean_gradient.segment(at, n).array();
    if (!first) g += beta1 * state.momentum.segment(at, n).array();

    const Tile before = precision.segment(at, n);
    const Tile error = (lambda / in.rows()) * w.curvature.segment(at, n).array() + prior - before;
    const Tile after = before + rho * error + 0.5 * rho * rho * error.square() / before;

    Tile step =
        (lambda * momentum_scale * g + prior * (m - in.prior_mean.segment(at, n).array())) / after;
    if (clip_radius > 0) step = step.max(-clip_radius).min(clip_radius);
    if (rescale) step *= initial_curvature + prior / lambda;
    next_q.mean.segment(at, n).array() = m - rate * step;
    next_q.precision.segment(at, n) = after;
    next_state.momentum.segment(at, n) = g;
  });
  return absl::OkStatus();
}

}  // namespace prequel
