#include "core/rules/laplace.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "core/linalg/cholesky.h"
#include "core/posteriors/logit_blocks.h"

namespace prequel {
namespace {

constexpr Index kMaxMapSteps = 1'000'000'000;
constexpr std::int64_t kMostExamples = std::int64_t{1} << 62;  // far from overflow

void Proceed(std::int64_t phase, LaplaceState& state) {
  state.phase = phase;
  state.phase_steps = state.phase_examples = 0;
  state.adam = {};
  state.diagonal.resize(0);
}

// Weight is N/n: what the curvature of the n examples of the phase stands for.
double Weight(const StepInput& in, const LaplaceState& state) {
  return in.examples / static_cast<double>(state.phase_examples);
}

// AddDiagonal: h += diag H of the minibatch at `mean`.
void AddDiagonal(const StepInput& in, const Vector& mean, LaplaceState& state) {
  if (state.phase_steps == 1) state.diagonal.setZero(mean.size());
  in.expansion.Linearize(mean);
  in.expansion.Expect(Expectation::kAtMean);
  in.expansion.CurvatureDiagonal(in.scratch.curvature);
  state.diagonal += in.scratch.curvature;
}

// AddCurvature: H += J_G J_Gᵀ of the minibatch, whose Jacobian by the weights of H is in
// w.jacobian; then `covariance` := (Λ₀ + (N/n) H)⁻¹, Λ₀ = diag(prior_precision).
absl::Status AddCurvature(const StepInput& in, const Vector& prior_precision, LaplaceState& state,
                          Matrix& covariance) {
  RuleScratch::Full& w = in.scratch.full;
  const Index size = prior_precision.size();
  if (state.phase_steps == 1) state.curvature.setZero(size, size);
  const Matrix& roots = in.expansion.local().root;
  w.curve.resize(size, roots.cols());
  ScaleByRoots(w.jacobian, roots, 1, w.curve);
  state.curvature.selfadjointView<Eigen::Lower>().rankUpdate(w.curve);
  w.step = Weight(in, state) * state.curvature;
  w.step.diagonal() += prior_precision;
  if (!FactorInPlace(w.step)) return absl::InternalError("the curvature is not finite");
  InverseOfFactor(w.step, w.root, covariance);
  return absl::OkStatus();
}

// AddFactors: A and S += those of the minibatch at `mean`.
void AddFactors(const StepInput& in, const Vector& mean, LaplaceState& state) {
  std::vector<KroneckerFactors>& added = in.scratch.kronecker.factors;
  in.expansion.Linearize(mean);
  in.expansion.Expect(Expectation::kAtMean);
  in.expansion.CurvatureFactors(added);
  if (state.phase_steps == 1) {
    state.factors = added;
    return;
  }
  for (std::size_t l = 0; l < added.size(); ++l) {
    state.factors[l].inputs += added[l].inputs;
    state.factors[l].cotangents += added[l].cotangents;
  }
}

// Refreshes: whether a pass ends in this minibatch, or the phase has had 1, 2, 4, 8, … of them.
bool Refreshes(const StepInput& in, const LaplaceState& state) {
  const auto passes = [&](std::int64_t examples) {
    return std::floor(static_cast<double>(examples) / in.examples);
  };
  return std::has_single_bit(static_cast<std::uint64_t>(state.phase_steps)) ||
         passes(state.phase_examples) > passes(state.phase_examples - in.expansion.examples());
}

}  // namespace

bool LaplaceState::IsSound(Index params) const {
  const bool counts = IsCount(steps) && kMap <= phase && phase <= kCurvature && phase_steps >= 0 &&
                      phase_examples >= phase_steps && phase_examples <= kMostExamples;
  return counts && adam.IsSound(params) && diagonal.allFinite() && (diagonal.array() >= 0).all() &&
         curvature.allFinite() && (curvature.diagonal().array() >= 0).all() &&
         std::all_of(factors.begin(), factors.end(), [](const auto& f) { return f.IsFinite(); });
}

bool LaplaceState::Holds(Index of_diagonal, Index of_curvature) const {
  return diagonal.size() == of_diagonal && curvature.rows() == of_curvature &&
         curvature.cols() == of_curvature;
}

bool LaplaceState::Suits(const DiagonalGaussian& q) const {
  return factors.empty() && phase != kChoose && Holds(Within(kCurvature) ? q.size() : 0, 0);
}

bool LaplaceState::Suits(const FullGaussian& q) const {
  return factors.empty() && phase != kChoose && Holds(0, Within(kCurvature) ? q.size() : 0);
}

bool LaplaceState::Suits(const SubnetworkGaussian& q) const {
  return factors.empty() &&
         Holds(Within(kChoose) ? q.size() : 0, Within(kCurvature) ? q.count() : 0);
}

bool LaplaceState::Suits(const KroneckerGaussian& q) const {
  return phase != kChoose && Holds(0, 0) &&
         (Within(kCurvature) ? q.HasShapeOf(factors) : factors.empty());
}

absl::Status Laplace::Configure(Options& options) {
  options.Describe("to the mode by Adam, then the covariance there",
                   "a gradient of the minibatch, and one pass over the data at the end");
  mode.ConfigureDataset(options,
                        "the curvature is that of all the data, at a mode that all the data have "
                        "been searched for");
  predictive.Configure(options);
  adam.alpha = 1e-2;
  adam.ConfigureRates(options);
  in_steps = options.Has("map_steps");
  if (in_steps && options.Has("map_passes")) {
    options.Fail("map_passes", "says what map_steps says: leave one out");
  }
  if (in_steps) {
    options.Help("steps to the mode, in place of map_passes")
        .Integer("map_steps", &map_steps, 0, kMaxMapSteps);
  } else {
    options.Help("passes over the data to the mode, before the covariance is taken")
        .Real("map_passes", &map_passes, 0, 1e6);
  }
  return options.Finish();
}

MatchedPredictive Laplace::PredictiveOf(const State& state) const {
  return HasCurvature(state) ? predictive : MatchedPredictive{MatchedPredictive::Kind::kMean};
}

void Laplace::Describe(const State& state, StepReport& report) const {
  report.phase = state.phase == State::kMap      ? "map"
                 : state.phase == State::kChoose ? "choose"
                                                 : "curvature";
  report.converged = state.phase == State::kCurvature &&
                     static_cast<double>(state.phase_examples) >= mode.dataset_size;
}

double Laplace::Progress(std::int64_t steps, std::int64_t examples) const {
  const double length = in_steps ? static_cast<double>(map_steps) : map_passes * mode.dataset_size;
  const auto over = static_cast<double>(in_steps ? steps : examples);
  return over < length ? over / length : 1;
}

void Laplace::Enter(const StepInput& in, const State& state, std::int64_t after,
                    State& next) const {
  if (state.steps == 0) {
    next = State();
  } else if (&next != &state) {
    next = state;
  }
  if (next.phase == State::kMap && Progress(next.phase_steps, next.phase_examples) == 1) {
    Proceed(after, next);
  }
  ++next.steps;
  ++next.phase_steps;
  next.phase_examples += in.expansion.examples();
}

void Laplace::Climb(const StepInput& in, const Vector& mean, std::int64_t after, Vector& next_mean,
                    State& state) const {
  const double before =
      Progress(state.phase_steps - 1, state.phase_examples - in.expansion.examples());
  Adam annealed = adam;
  annealed.alpha *= 0.5 * (1 + std::cos(std::numbers::pi * before));
  annealed.StepMean(in, mean, state.adam, next_mean, state.adam);
  if (Progress(state.phase_steps, state.phase_examples) == 1) Proceed(after, state);
}

absl::Status Laplace::Step(const StepInput& in, const DiagonalGaussian& q, const State& state,
                           DiagonalGaussian& next_q, State& next_state) const {
  Enter(in, state, State::kCurvature, next_state);
  if (next_state.phase == State::kMap) {
    next_q.precision = q.precision;
    Climb(in, q.mean, State::kCurvature, next_q.mean, next_state);
    return absl::OkStatus();
  }
  AddDiagonal(in, q.mean, next_state);
  next_q.mean = q.mean;
  next_q.precision = in.prior_precision + Weight(in, next_state) * next_state.diagonal;
  return absl::OkStatus();
}

absl::Status Laplace::Step(const StepInput& in, const FullGaussian& q, const State& state,
                           FullGaussian& next_q, State& next_state) const {
  Enter(in, state, State::kCurvature, next_state);
  if (next_state.phase == State::kMap) {
    next_q.covariance = q.covariance;
    Climb(in, q.mean, State::kCurvature, next_q.mean, next_state);
    return absl::OkStatus();
  }
  in.expansion.Linearize(q.mean);
  in.expansion.Expect(Expectation::kAtMean);
  in.expansion.Jacobian(in.scratch.full.jacobian);
  next_q.mean = q.mean;
  return AddCurvature(in, in.prior_precision, next_state, next_q.covariance);
}

absl::Status Laplace::Step(const StepInput& in, const SubnetworkGaussian& q, const State& state,
                           SubnetworkGaussian& next_q, State& next_state) const {
  Enter(in, state, State::kChoose, next_state);
  if (next_state.phase == State::kMap) {
    next_q.subset = q.subset;
    next_q.part.covariance = q.part.covariance;
    Climb(in, q.mean, State::kChoose, next_q.mean, next_state);
    next_q.Gather();
    return absl::OkStatus();
  }
  if (&next_q != &q) next_q = q;
  if (next_state.phase == State::kChoose) {
    AddDiagonal(in, q.mean, next_state);
    if (static_cast<double>(next_state.phase_examples) < in.examples) return absl::OkStatus();
    const Vector variances =
        (in.prior_precision + Weight(in, next_state) * next_state.diagonal).cwiseInverse();
    next_q.Assign(q.mean, in.prior_precision.cwiseInverse(),
                  LargestVariances(variances, q.count()));
    Proceed(State::kCurvature, next_state);
    return absl::OkStatus();
  }
  in.expansion.Linearize(q.mean, q.first_uncertain());
  in.expansion.Expect(Expectation::kAtMean);
  in.expansion.JacobianRows(q.subset, in.scratch.full.jacobian);
  Vector& prior_precision = in.scratch.precision;
  prior_precision.resize(q.part.size());
  for (Index k = 0; k < prior_precision.size(); ++k) {
    prior_precision[k] = in.prior_precision[q.subset[static_cast<std::size_t>(k)]];
  }
  return AddCurvature(in, prior_precision, next_state, next_q.part.covariance);
}

absl::Status Laplace::Step(const StepInput& in, const KroneckerGaussian& q, const State& state,
                           KroneckerGaussian& next_q, State& next_state) const {
  Enter(in, state, State::kCurvature, next_state);
  if (&next_q != &q) next_q.layers = q.layers;
  if (next_state.phase == State::kMap) {
    Climb(in, q.mean, State::kCurvature, next_q.mean, next_state);
    return absl::OkStatus();
  }
  AddFactors(in, q.mean, next_state);
  next_q.mean = q.mean;
  if (!Refreshes(in, next_state)) return absl::OkStatus();
  const double scale = Weight(in, next_state) / static_cast<double>(next_state.phase_examples);
  Vector& prior = in.scratch.precision;
  Index offset = 0;
  for (std::size_t l = 0; l < next_q.layers.size(); ++l) {
    KroneckerGaussian::Layer& layer = next_q.layers[l];
    const KroneckerFactors& factors = next_state.factors[l];
    prior = layer.WeightsIn(in.prior_precision, offset).row(0).transpose();
    absl::Status status = layer.Assign(prior, scale * factors.inputs, factors.cotangents);
    if (!status.ok()) return status;
    offset += layer.size();
  }
  return absl::OkStatus();
}

}  // namespace prequel
