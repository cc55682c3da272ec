#include "core/rules/vogn.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "core/config/field_error.h"
#include "core/linalg/tiles.h"
#include "core/rules/kronecker_derivatives.h"

namespace prequel {

bool Vogn::State::IsSound(Index params) const {
  return IsCount(steps) && momentum.size() == (steps > 0 ? params : 0) && momentum.allFinite() &&
         curvature.allFinite() && (curvature.size() == 0 || curvature.minCoeff() >= 0) &&
         std::all_of(factors.begin(), factors.end(), [](const auto& f) { return f.IsFinite(); });
}

bool Vogn::State::Suits(const DiagonalGaussian& q) const {
  return factors.empty() && curvature.size() == (steps > 0 ? q.size() : 0);
}

bool Vogn::State::Suits(const KroneckerGaussian& q) const {
  return curvature.size() == 0 && (steps > 0 ? q.HasShapeOf(factors) : factors.empty());
}

void Vogn::ConfigureStep(Options& options) {
  mode.Configure(options);
  predictive.Configure(options);
  std::string name = "empirical_fisher";
  options.Help("squared gradients of examples, or generalised Gauss-Newton")
      .Choice("curvature", &name, {"empirical_fisher", "ggn"});
  curvature = name == "ggn" ? Curvature::kGaussNewton : Curvature::kEmpiricalFisher;
  if (mode.dataset()) {
    schedule.Configure(options);
    options.Help("added to the curvature of an example").Real("damping", &damping, 0, 1e6);
    options.Help("of the posterior: below 1 it is sharper")
        .Positive("temperature", &temperature, 1e6);
    options.Help("steps over which the prior comes to count")
        .Integer("warm_up", &warm_up, 0, 1'000'000'000);
    options.Help("examples that each one stands for").Real("augmentation", &augmentation, 1, 1e6);
    options.Help("steps between factorisations of kronecker")
        .Integer("refresh", &refresh, 1, 1'000'000'000);
  } else {
    alpha = 0.1;
    beta2 = 0.9;
    Mode::RefuseDatasetOptions(
        options, {"schedule", "damping", "temperature", "warm_up", "augmentation", "refresh"},
        "a minibatch counts once and its precision is the next one's prior");
  }
  options.Help("step size").Positive("alpha", &alpha, 10);
  options.Help("momentum").Real("beta1", &beta1, 0, 0.9999);
  options.Help("memory of the curvature").Real("beta2", &beta2, 0, 0.9999999);
}

absl::Status Vogn::Configure(Options& options) {
  options.Describe("variational online Gauss-Newton, by draws",
                   "a gradient of each row for each draw");
  ConfigureStep(options);
  options.Help("draws of the weights of a step")
      .Integer("samples", &samples, 1, StepInput::kMaxDraws);
  return options.Finish();
}

absl::Status Vogn::CheckFor(const Setting& /*setting*/,
                            const DiagonalGaussian& /*prototype*/) const {
  if (refresh == 1) return absl::OkStatus();
  return FieldError("config.rule.options.refresh",
                    "is of posterior \"kronecker\", and the others need none: leave it out");
}

absl::Status Vogn::CheckFor(const Setting& /*setting*/,
                            const KroneckerGaussian& /*prototype*/) const {
  if (mode.dataset()) return absl::OkStatus();
  return FieldError("config.rule.options.mode",
                    "must be \"dataset\" with posterior \"kronecker\": a diagonal prior and one "
                    "average curvature make a Kronecker form, many minibatches' priors do not; "
                    "or use posterior \"diagonal\"");
}

// Temperature rises linearly from a tenth of τ.
double Vogn::Temperature(std::int64_t t) const {
  if (t >= warm_up) return temperature;
  return temperature * (0.1 + 0.9 * static_cast<double>(t) / static_cast<double>(warm_up));
}

absl::Status Vogn::Step(const StepInput& in, const DiagonalGaussian& q, const State& state,
                        DiagonalGaussian& next_q, State& next_state) const {
  RuleScratch& w = in.scratch;
  if (samples == 0) {
    EvaluateAtMean(in, q.mean, curvature);
  } else {
    AverageOverDraws(in, q.mean, q.precision, samples, curvature);
  }

  const Index size = q.size();
  const bool first = state.steps == 0;
  const double tau = Temperature(state.steps);
  const double step = alpha * schedule.Factor(state.steps);
  const double examples = augmentation * in.examples;
  next_q.mean.resize(size);
  next_q.precision.resize(size);
  next_state.momentum.resize(size);
  next_state.curvature.resize(size);
  next_state.factors.clear();
  next_state.steps = state.steps + 1;
  const double scale = step / (1 - std::pow(beta1, static_cast<double>(next_state.steps)));
  ForEachTile(size, [&](Index at, Index n) {
    const auto m = q.mean.segment(at, n).array();
    const Tile prior = (tau / examples) * in.prior_precision.segment(at, n).array();
    Tile b = prior * (m - in.prior_mean.segment(at, n).array()) -
             w.mean_gradient.segment(at, n).array() / in.rows();
    Tile s = w.curvature.segment(at, n).array() / in.rows();
    b *= 1 - beta1;
    if (!first) {
      b += beta1 * state.momentum.segment(at, n).array();
      s = beta2 * state.curvature.segment(at, n).array() + (1 - beta2) * s;
    }
    const Tile damped = s + prior + damping;
    next_q.mean.segment(at, n).array() = m - scale * b / damped;
    next_q.precision.segment(at, n).array() = (examples / tau) * damped;
    next_state.momentum.segment(at, n) = b;
    next_state.curvature.segment(at, n) = s;
  });
  return absl::OkStatus();
}

// Step in Kronecker form is noisy K-FAC (Zhang et al. 2018).
absl::Status Vogn::Step(const StepInput& in, const KroneckerGaussian& q, const State& state,
                        KroneckerGaussian& next_q, State& next_state) const {
  RuleScratch& w = in.scratch;
  absl::Status status;
  if (samples == 0) {
    EvaluateFactorsAt(in, q.mean, in.at_mean, curvature);
  } else if (status = AverageFactorsOverDraws(in, q, samples, curvature); !status.ok()) {
    return status;
  }

  const bool first = state.steps == 0;
  const bool refreshes = state.steps % refresh == 0 || state.steps <= warm_up ||
                         std::has_single_bit(static_cast<std::uint64_t>(state.steps));
  const double tau = Temperature(state.steps);
  const double examples = augmentation * in.examples;
  const double step = alpha * schedule.Factor(state.steps);

  w.gradient = (tau / examples) * in.prior_precision.cwiseProduct(q.mean - in.prior_mean) -
               w.mean_gradient / in.rows();
  w.gradient *= 1 - beta1;
  if (!first) w.gradient += beta1 * state.momentum;
  next_state.momentum = w.gradient;
  next_state.curvature.resize(0);
  next_state.steps = state.steps + 1;
  const double kept = std::min(beta2, 1 - 1 / static_cast<double>(next_state.steps));
  Blend(kept, state.factors, (1 - kept) / in.rows(), w.kronecker.factors, next_state.factors);

  if (!refreshes) next_q.layers = q.layers;
  next_q.layers.resize(q.layers.size());
  w.theta.resize(q.size());
  Index offset = 0;
  for (std::size_t l = 0; l < q.layers.size(); ++l) {
    KroneckerGaussian::Layer& layer = next_q.layers[l];
    if (refreshes) {
      const KroneckerFactors& factors = next_state.factors[l];
      w.precision = q.layers[l].WeightsIn(in.prior_precision, offset).row(0).transpose();
      w.precision.array() += examples / tau * damping;
      status = layer.Assign(w.precision, (examples / tau) * factors.inputs, factors.cotangents);
      if (!status.ok()) return status;
    }
    layer.CovarianceTo(w.kronecker.covariance);
    w.kronecker.covariance.Multiply(
        layer.WeightsIn(next_state.momentum, offset), w.kronecker.product,
        Eigen::Map<Matrix>(w.theta.data() + offset, layer.outputs(), layer.columns()));
    offset += layer.size();
  }
  const double scale = step / (1 - std::pow(beta1, static_cast<double>(next_state.steps)));
  next_q.mean = q.mean - (scale * examples / tau) * w.theta;
  return absl::OkStatus();
}

}  // namespace prequel
