#include "core/rules/bbb.h"

#include <cmath>

#include "core/linalg/tiles.h"
#include "core/rules/derivatives.h"

namespace prequel {
namespace {

// Adam on one of the two parameters: from its gradient to its step.
class Descent {
 public:
  Descent(const Bbb& rule, double steps)
      : rule_(rule),
        momentum_scale_(1 / (1 - std::pow(rule.beta1, steps))),
        squares_scale_(1 / (1 - std::pow(rule.beta2, steps))) {}

  Tile Step(const Tile& g, Index at, const Bbb::State& state, bool first,
            Bbb::State& next_state) const {
    const Index n = g.size();
    Tile b = (1 - rule_.beta1) * g, s = (1 - rule_.beta2) * g.square();
    if (!first) {
      b += rule_.beta1 * state.momentum.segment(at, n).array();
      s += rule_.beta2 * state.squares.segment(at, n).array();
    }
    next_state.momentum.segment(at, n) = b;
    next_state.squares.segment(at, n) = s;
    return rule_.alpha * momentum_scale_ * b / ((squares_scale_ * s).sqrt() + rule_.epsilon);
  }

 private:
  const Bbb& rule_;
  double momentum_scale_, squares_scale_;
};

}  // namespace

absl::Status Bbb::Configure(Options& options) {
  mode.Configure(options);
  predictive.Configure(options);
  if (!mode.dataset()) alpha = 0.05;
  options.Positive("alpha", &alpha, 10);
  options.Real("beta1", &beta1, 0, 0.9999);
  options.Real("beta2", &beta2, 0, 0.999999);
  options.Positive("epsilon", &epsilon, 1);
  options.Integer("samples", &samples, 1, StepInput::kMaxDraws);
  return options.Finish();
}

absl::Status Bbb::Step(const StepInput& in, const DiagonalGaussian& q, const State& state,
                       DiagonalGaussian& next_q, State& next_state) const {
  RuleScratch& w = in.scratch;
  AverageOverDraws(in, q.mean, q.precision, samples, Curvature::kReparameterized);

  const Index size = q.size();
  const bool first = state.steps == 0;
  next_q.mean.resize(size);
  next_q.precision.resize(size);
  next_state.momentum.resize(2 * size);
  next_state.squares.resize(2 * size);
  next_state.steps = state.steps + 1;
  const Descent descent(*this, static_cast<double>(next_state.steps));
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
    next_q.mean.segment(at, n).array() = m - descent.Step(g_mean, at, state, first, next_state);
    next_q.precision.segment(at, n).array() =
        before * (2 * descent.Step(g_log, size + at, state, first, next_state)).exp();
  });
  return absl::OkStatus();
}

}  // namespace prequel
