#include "core/rules/kronecker_derivatives.h"

#include <cstddef>

namespace prequel {
namespace {

void Evaluate(const StepInput& in, const Vector& theta, bool forwarded, Curvature kind,
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

}  // namespace

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

void EvaluateFactorsAt(const StepInput& in, const Vector& theta, bool forwarded, Curvature kind) {
  RuleScratch& w = in.scratch;
  Evaluate(in, theta, forwarded, kind, w.mean_gradient, w.kronecker.factors);
}

absl::Status AverageFactorsOverDraws(const StepInput& in, const KroneckerGaussian& q, Index samples,
                                     Curvature kind) {
  RuleScratch& w = in.scratch;
  if (absl::Status status = w.kronecker.sampler.Prepare(q); !status.ok()) return status;
  for (Index k = 0; k < samples; ++k) {
    w.kronecker.sampler.Draw(in.Draw(k), w.theta);
    if (k == 0) {
      Evaluate(in, w.theta, false, kind, w.mean_gradient, w.kronecker.factors);
      continue;
    }
    Evaluate(in, w.theta, false, kind, w.gradient, w.kronecker.of_draw);
    w.mean_gradient += w.gradient;
    Blend(1, w.kronecker.factors, 1, w.kronecker.of_draw, w.kronecker.factors);
  }
  const double share = 1 / static_cast<double>(samples);
  w.mean_gradient *= share;
  Blend(0, {}, share, w.kronecker.factors, w.kronecker.factors);
  return absl::OkStatus();
}

}  // namespace prequel
