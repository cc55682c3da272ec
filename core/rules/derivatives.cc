#include "core/rules/derivatives.h"

#include <cmath>
#include <string>

#include "core/linalg/reciprocal_sqrt.h"
#include "core/linalg/tiles.h"
#include "core/posteriors/logit_blocks.h"

namespace prequel {
namespace {

// Evaluate writes gradient and curvature at `theta`, where Forward has been called when
// `forwarded`.
void Evaluate(const StepInput& in, const Vector& theta, bool forwarded, Curvature kind,
              Vector& gradient, Vector& curvature) {
  Expansion& expansion = in.expansion;
  if (!forwarded) expansion.Forward(theta);
  expansion.Expect(Expectation::kAtMean);
  if (kind == Curvature::kGaussNewton) {
    expansion.BackPropagateCurvature(theta, gradient, curvature);
  } else if (kind == Curvature::kEmpiricalFisher) {
    expansion.BackPropagateSquares(theta, gradient, curvature);
  } else {
    expansion.BackPropagate(theta, gradient);
  }
}

// Reparameterize sets curvature := −Λ ∘ ε ∘ gradient.
void Reparameterize(const Vector& theta, const Vector& mean, const Vector& precision,
                    const Vector& gradient, Vector& curvature) {
  curvature.resize(mean.size());
  ForEachTile(mean.size(), [&](Index at, Index n) {
    curvature.segment(at, n).array() = precision.segment(at, n).array() *
                                       (mean.segment(at, n) - theta.segment(at, n)).array() *
                                       gradient.segment(at, n).array();
  });
}

// AddGaussNewton: precision += weight · J_G J_Gᵀ of the expansion, linearised and expected;
// gradient = J r.
void AddGaussNewton(Expansion& expansion, double weight, RuleScratch::Full& w, Vector& gradient,
                    Matrix& precision) {
  expansion.Jacobian(w.jacobian);
  const LocalExpansion& local = expansion.local();
  w.curve.resize(w.jacobian.rows(), local.root.cols());
  ScaleByRoots(w.jacobian, local.root, std::sqrt(weight), w.curve);
  precision.selfadjointView<Eigen::Lower>().rankUpdate(w.curve);
  gradient.resize(w.jacobian.rows());
  gradient.noalias() =
      w.jacobian * Eigen::Map<const Vector>(local.score.data(), local.score.size());
}

// AddReparameterized: precision −= weight · ½ (Λ ε gᵀ + g εᵀ Λ), with Λ in the lower triangle of
// w.precision.
void AddReparameterized(const Vector& mean, const Vector& gradient, double weight, RuleScratch& w,
                        Matrix& precision) {
  w.theta -= mean;
  w.squares.resize(mean.size());
  w.squares.noalias() = w.full.precision.selfadjointView<Eigen::Lower>() * w.theta;
  const double scale = -0.5 * weight;
  for (Index j = 0; j < mean.size(); ++j) {
    const Index rest = mean.size() - j;
    precision.col(j).tail(rest) +=
        (scale * gradient[j]) * w.squares.tail(rest) + (scale * w.squares[j]) * gradient.tail(rest);
  }
}

}  // namespace

void DrawWeights(const StepInput& in, Index k, const Vector& mean, const Vector& precision,
                 Vector& theta) {
  theta.resize(mean.size());
  const Stream stream = in.Draw(k);
  ForEachTile(mean.size(), [&](Index at, Index n) {
    FillNormal(stream, at, theta.segment(at, n));
    const double *m = mean.data() + at, *lambda = precision.data() + at;
    double* out = theta.data() + at;
    for (Index j = 0; j < n; ++j) out[j] = m[j] + out[j] * ReciprocalSqrt(lambda[j]);
  });
}

void AverageOverDraws(const StepInput& in, const Vector& mean, const Vector& precision,
                      Index samples, Curvature kind) {
  RuleScratch& w = in.scratch;
  for (Index k = 0; k < samples; ++k) {
    Vector& gradient = k == 0 ? w.mean_gradient : w.gradient;
    Vector& curvature = k == 0 ? w.curvature : w.squares;
    DrawWeights(in, k, mean, precision, w.theta);
    Evaluate(in, w.theta, false, kind, gradient, curvature);
    if (kind == Curvature::kReparameterized) {
      Reparameterize(w.theta, mean, precision, gradient, curvature);
    }
    if (k == 0) continue;
    w.mean_gradient += w.gradient;
    if (kind != Curvature::kNone) w.curvature += w.squares;
  }
  if (samples == 1) return;
  const double share = 1 / static_cast<double>(samples);
  w.mean_gradient *= share;
  if (kind != Curvature::kNone) w.curvature *= share;
}

void EvaluateAtMean(const StepInput& in, const Vector& mean, Curvature curvature) {
  Evaluate(in, mean, in.at_mean, curvature, in.scratch.mean_gradient, in.scratch.curvature);
}

void Averaging::Configure(Options& options) {
  std::string name = over == Over::kMonteCarlo ? "monte_carlo" : "linearized";
  options.Help("what derivatives of the likelihood are averaged over")
      .Choice("expectation", &name, {"linearized", "mean", "monte_carlo"});
  over = name == "mean"          ? Over::kMean
         : name == "monte_carlo" ? Over::kMonteCarlo
                                 : Over::kLinearized;
  if (over == Over::kMonteCarlo)
    options.Help("draws of the weights that derivatives are averaged over")
        .Integer("samples", &samples, 1, StepInput::kMaxDraws);
}

void Averaging::Evaluate(const StepInput& in, const DiagonalGaussian& q,
                         Curvature curvature) const {
  RuleScratch& w = in.scratch;
  if (over == Over::kMonteCarlo) {
    return AverageOverDraws(in, q.mean, q.precision, samples, curvature);
  }
  if (over == Over::kMean) return EvaluateAtMean(in, q.mean, curvature);
  in.expansion.Linearize(q.mean);
  w.squares = q.precision.cwiseInverse();
  in.expansion.MarginalCovariance(w.squares);
  in.expansion.Expect(Expectation::kLinearized);
  in.expansion.Gradient(w.mean_gradient);
  in.expansion.CurvatureDiagonal(w.curvature);
}

absl::Status Averaging::Evaluate(const StepInput& in, const FullGaussian& q, Curvature curvature,
                                 double weight, Matrix& precision) const {
  RuleScratch& w = in.scratch;
  absl::Status status;
  if (over != Over::kMonteCarlo) {
    in.expansion.Linearize(q.mean);
    if (over == Over::kLinearized) {
      status = w.full.local.Begin(q, in.expansion.curvature_rank() * in.expansion.examples());
      if (!status.ok()) return status;
      w.full.local.Project(in.expansion);
    }
    in.expansion.Expect(over == Over::kMean ? Expectation::kAtMean : Expectation::kLinearized);
    AddGaussNewton(in.expansion, weight, w.full, w.mean_gradient, precision);
    return absl::OkStatus();
  }
  if (status = w.full.sampler.Prepare(q); !status.ok()) return status;
  const double share = 1 / static_cast<double>(samples);
  w.mean_gradient.setZero(q.size());
  for (Index k = 0; k < samples; ++k) {
    w.full.sampler.Draw(in.Draw(k), w.theta);
    if (curvature == Curvature::kGaussNewton) {
      in.expansion.Linearize(w.theta);
      in.expansion.Expect(Expectation::kAtMean);
      AddGaussNewton(in.expansion, weight * share, w.full, w.gradient, precision);
    } else {
      in.expansion.Forward(w.theta);
      in.expansion.Expect(Expectation::kAtMean);
      in.expansion.BackPropagate(w.theta, w.gradient);
      AddReparameterized(q.mean, w.gradient, weight * share, w, precision);
    }
    w.mean_gradient += share * w.gradient;
  }
  return absl::OkStatus();
}

}  // namespace prequel
