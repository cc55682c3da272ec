#include "core/rules/ivon.h"

#include <cmath>

#include "core/linalg/tiles.h"

namespace prequel {

bool Ivon::State::IsSound(Index params) const {
  return steps >= 0 && momentum.size() == (steps > 0 ? params : 0) && momentum.allFinite();
}

absl::Status Ivon::Configure(Options& options) {
  mode.Configure(options);
  predictive.Configure(options);
  rescale = mode.dataset();
  if (mode.dataset()) {
    std::string size_word = "dataset_size";
    options.Positive("initial_curvature", &initial_curvature, 1e6);
    options.PositiveOrWord("effective_size", &effective_size, &size_word, {"dataset_size"}, 1e15);
    options.Bool("rescale", &rescale);
  } else {
    beta2 = 0.9;
    for (const char* name : {"initial_curvature", "effective_size", "rescale"}) {
      if (!options.Has(name)) continue;
      options.Fail(name,
                   "is of mode \"dataset\"; in mode \"recursive\" the curvature starts at "
                   "that of the posterior, and a minibatch counts once: leave it out");
    }
  }
  std::string clip_word = "none";
  options.Positive("alpha", &alpha, 10);
  options.Real("beta1", &beta1, 0, 0.9999);
  options.Real("beta2", &beta2, 0, 0.9999999);
  options.PositiveOrWord("clip_radius", &clip_radius, &clip_word, {"none"});
  options.Integer("samples", &samples, 1, StepInput::kMaxDraws);
  return options.Finish();
}

void Ivon::Sample(const StepInput& in, const Vector& mean, const Vector& precision) const {
  RuleScratch& w = in.scratch;
  w.theta.resize(mean.size());
  w.mean_gradient.setZero(mean.size());
  w.curvature.setZero(mean.size());
  const double weight = -1 / (in.rows() * static_cast<double>(samples));  // BackPropagate: −B ∇ℓ̄
  for (Index k = 0; k < samples; ++k) {
    FillNormal(in.Draw(k), w.theta);
    ForEachTile(mean.size(), [&](Index at, Index n) {
      w.theta.segment(at, n).array() =
          mean.segment(at, n).array() +
          w.theta.segment(at, n).array() * precision.segment(at, n).array().sqrt().inverse();
    });
    in.expansion.Forward(w.theta);
    in.expansion.Expect(Expectation::kAtMean);
    in.expansion.BackPropagate(w.theta, w.gradient);
    ForEachTile(mean.size(), [&](Index at, Index n) {
      const Tile gradient = weight * w.gradient.segment(at, n).array();
      w.mean_gradient.segment(at, n).array() += gradient;
      w.curvature.segment(at, n).array() += precision.segment(at, n).array() *
                                            (w.theta.segment(at, n) - mean.segment(at, n)).array() *
                                            gradient;
    });
  }
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
  Sample(in, q.mean, precision);

  next_q.mean.resize(size);
  next_q.precision.resize(size);
  next_state.momentum.resize(size);
  next_state.steps = state.steps + 1;
  const double momentum_scale = 1 / (1 - std::pow(beta1, static_cast<double>(next_state.steps)));
  const double rho = 1 - beta2;
  ForEachTile(size, [&](Index at, Index n) {
    const auto m = q.mean.segment(at, n).array();
    const auto prior = in.prior_precision.segment(at, n).array();
    Tile g = (1 - beta1) * w.mean_gradient.segment(at, n).array();
    if (!first) g += beta1 * state.momentum.segment(at, n).array();

    const Tile before = precision.segment(at, n);
    const Tile error = lambda * w.curvature.segment(at, n).array() + prior - before;
    const Tile after = before + rho * error + 0.5 * rho * rho * error.square() / before;

    Tile step =
        (lambda * momentum_scale * g + prior * (m - in.prior_mean.segment(at, n).array())) / after;
    if (clip_radius > 0) step = step.max(-clip_radius).min(clip_radius);
    if (rescale) step *= initial_curvature + prior / lambda;
    next_q.mean.segment(at, n).array() = m - alpha * step;
    next_q.precision.segment(at, n) = after;
    next_state.momentum.segment(at, n) = g;
  });
  return absl::OkStatus();
}

}  // namespace prequel
