#include "core/rules/slang.h"

#include <cmath>
#include <string>

#include "core/posteriors/logit_blocks.h"

namespace prequel {
namespace {

constexpr double kDecay = 0.51;  // square summable, not summable

}  // namespace

bool Slang::State::IsSound(Index params) const {
  return IsCount(steps) && momentum.size() == (steps > 0 ? params : 0) && momentum.allFinite();
}

absl::Status Slang::Configure(Options& options) {
  options.Describe("natural gradients with a low-rank precision",
                   "a gradient of each row for each draw, and a decomposition of the rank");
  mode.ConfigureDataset(options,
                        "its prior is a diagonal, which after one minibatch q no longer is; for a "
                        "stream use rule \"rvga\", \"lofi\" or \"lrvga\"");
  predictive.Configure(options);
  std::string curvature_name = "fisher", schedule = "decay";
  options.Help("squared gradients, or generalised Gauss-Newton")
      .Choice("curvature", &curvature_name, {"fisher", "ggn"});
  options.Help("whether alpha and beta decay with the steps")
      .Choice("schedule", &schedule, {"decay", "constant"});
  curvature = curvature_name == "ggn" ? Curvature::kGgn : Curvature::kFisher;
  decays = schedule == "decay";
  options.Help("step size of the mean").Positive("alpha", &alpha, 1);
  options.Help("step size of the precision").Positive("beta", &beta, 1);
  options.Help("momentum").Real("beta1", &beta1, 0, 0.9999);
  options.Help("curvature of an example that the precision begins with")
      .Real("initial_curvature", &initial_curvature, 0, 1e6);
  options.Help("draws of the weights of a step")
      .Integer("samples", &samples, 1, StepInput::kMaxDraws);
  return options.Finish();
}

void Slang::Sample(const StepInput& in, const Vector& mean, Index rank, double beta_now) const {
  RuleScratch& w = in.scratch;
  const bool ggn = curvature == Curvature::kGgn;
  const Index per_draw = (ggn ? in.expansion.curvature_rank() : 1) * in.expansion.examples();
  const double weight = in.examples / (in.rows() * static_cast<double>(samples));  // N/BK
  w.columns.resize(mean.size(), rank + samples * per_draw);
  w.mean_gradient.setZero(mean.size());
  w.normal.resize(w.woodbury.size() + w.woodbury.rank());
  for (Index k = 0; k < samples; ++k) {
    FillNormal(in.Draw(k), w.normal);
    w.woodbury.Deviate(w.normal, w.theta);
    w.theta += mean;
    in.expansion.Linearize(w.theta);
    in.expansion.Expect(Expectation::kAtMean);
    in.expansion.Gradient(w.gradient);
    w.mean_gradient += w.gradient;
    in.expansion.Jacobian(w.jacobian);
    const LocalExpansion& local = in.expansion.local();
    ScaleByRoots(w.jacobian, ggn ? local.root : local.score, std::sqrt(beta_now * weight),
                 w.columns.middleCols(rank + k * per_draw, per_draw));
  }
  w.mean_gradient *= -weight;
}

absl::Status Slang::Step(const StepInput& in, const LowRankGaussian& q, const State& state,
                         LowRankGaussian& next_q, State& next_state) const {
  RuleScratch& w = in.scratch;
  const bool first = state.steps == 0;
  const Index rank = q.rank();
  absl::Status status =
      CheckColumns(q.size(), samples * in.expansion.curvature_rank() * in.expansion.examples());
  if (!status.ok()) return status;
  const double rate = decays ? 1 / (1 + std::pow(static_cast<double>(state.steps), kDecay)) : 1;
  const double beta_now = beta * rate;

  w.precision = q.diagonal;
  if (first) w.precision = in.prior_precision.array() + in.examples * initial_curvature;
  if (status = w.woodbury.Factor(w.precision, q.factor); !status.ok()) return status;
  Sample(in, q.mean, rank, beta_now);
  w.columns.leftCols(rank) = std::sqrt(1 - beta_now) * q.factor;
  w.precision = (1 - beta_now) * w.precision + beta_now * in.prior_precision;
  w.compressor.Compress({Compression::Kind::kKeepDiagonal}, w.precision, w.columns, rank,
                        next_q.diagonal, next_q.factor);

  w.mean_gradient += in.prior_precision.cwiseProduct(q.mean - in.prior_mean);
  w.gradient = (1 - beta1) * w.mean_gradient;
  if (!first) w.gradient += beta1 * state.momentum;
  next_state.steps = state.steps + 1;
  next_state.momentum = w.gradient;
  const double unbiased = 1 - std::pow(beta1, static_cast<double>(next_state.steps));
  status = w.woodbury.Factor(next_q.diagonal, next_q.factor);
  if (!status.ok()) return status;
  w.woodbury.Solve(w.gradient, w.theta);
  next_q.mean = q.mean - (alpha * rate / unbiased) * w.theta;
  return absl::OkStatus();
}

}  // namespace prequel
