// VOGN's step on a posterior in Kronecker form: noisy K-FAC (Zhang et al. 2018).
#include <algorithm>
#include <bit>
#include <cmath>

#include "core/rules/vogn.h"

namespace prequel {
namespace {

using Factors = std::vector<KroneckerFactors>;

// out = keep · before + share · added; before may be out, and has no meaning when keep is 0.
void Blend(double keep, const Factors& before, double share, const Factors& added, Factors& out) {
  out.resize(added.size());
  for (std::size_t l = 0; l < added.size(); ++l) {
    if (keep == 0) {
      out[l].inputs = share * added[l].inputs;
      out[l].cotangents = share * added[l].cotangents;
    } else {
      out[l].inputs = keep * before[l].inputs + share * added[l].inputs;
      out[l].cotangents = keep * before[l].cotangents + share * added[l].cotangents;
    }
  }
}

// Σ_i g_i and the factors' sums at θ.
void EvaluateFactors(const StepInput& in, const Vector& theta, bool forwarded, Curvature kind,
                     Vector& gradient, Factors& factors) {
  Expansion& expansion = in.expansion;
  if (kind == Curvature::kGaussNewton) {
    expansion.Linearize(theta);
    expansion.Expect(Expectation::kAtMean);
    expansion.Gradient(gradient);
    expansion.CurvatureFactors(factors);
    return;
  }
  if (!forwarded) expansion.Forward(theta);
  expansion.Expect(Expectation::kAtMean);
  expansion.BackPropagateFactors(theta, gradient, factors);
}

// scratch.mean_gradient and scratch.kronecker.factors: sums over the minibatch, means over draws.
absl::Status AverageFactors(const StepInput& in, const KroneckerGaussian& q, Index samples,
                            Curvature kind) {
  RuleScratch& w = in.scratch;
  if (absl::Status status = w.kronecker.sampler.Prepare(q); !status.ok()) return status;
  for (Index k = 0; k < samples; ++k) {
    w.kronecker.sampler.Draw(in.Draw(k), w.theta);
    if (k == 0) {
      EvaluateFactors(in, w.theta, false, kind, w.mean_gradient, w.kronecker.factors);
      continue;
    }
    EvaluateFactors(in, w.theta, false, kind, w.gradient, w.kronecker.of_draw);
    w.mean_gradient += w.gradient;
    Blend(1, w.kronecker.factors, 1, w.kronecker.of_draw, w.kronecker.factors);
  }
  const double share = 1 / static_cast<double>(samples);
  w.mean_gradient *= share;
  Blend(0, {}, share, w.kronecker.factors, w.kronecker.factors);
  return absl::OkStatus();
}

}  // namespace

absl::Status Vogn::Step(const StepInput& in, const KroneckerGaussian& q, const State& state,
                        KroneckerGaussian& next_q, State& next_state) const {
  RuleScratch& w = in.scratch;
  absl::Status status;
  if (samples == 0) {
    EvaluateFactors(in, q.mean, in.at_mean, curvature, w.mean_gradient, w.kronecker.factors);
  } else if (status = AverageFactors(in, q, samples, curvature); !status.ok()) {
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
