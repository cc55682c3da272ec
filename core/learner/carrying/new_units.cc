#include "core/learner/carrying/new_units.h"

#include <algorithm>
#include <cstddef>
#include <variant>

#include "core/learner/carrying/prior_scales.h"
#include "core/learner/prediction.h"

namespace prequel {
namespace {

constexpr double kUsualTolerance = 0.1;
// The most weights of a linear model whose units follow every row: carrying takes as long as to
// learn some D rows.
constexpr Index kMostClosely = 32;
// The examples after which a model has settled.
constexpr std::int64_t kSettledExamples = 1000;

double ToleranceOf(const Problem& problem) {
  bool drifts = false;
  for (Index k = 0; k < problem.num_beliefs(); ++k) {
    drifts = drifts || Drifts(problem, static_cast<std::size_t>(k));
  }
  const bool closely = problem.setting().linear && problem.dataset_size() == 0 && !drifts &&
                       problem.num_params() <= kMostClosely;
  return closely ? 0 : kUsualTolerance;
}

void DescribeInputs(const Problem& problem, Index columns, bool moved, UnitsMove& move) {
  InputsChange& inputs = move.inputs;
  inputs.slope.setOnes(columns);
  inputs.offset.setZero(columns);
  if (moved) {
    inputs.slope = move.of_inputs.slope;
    inputs.offset = move.of_inputs.offset;
  }
  inputs.indicator.assign(static_cast<std::size_t>(inputs.slope.size()), -1);
  if (columns == 0) return;
  for (const Indicators& run : problem.encoder.indicators()) {
    for (Index i = 0; i < run.size; ++i) {
      inputs.indicator[static_cast<std::size_t>(run.first + i)] = run.encoded + i;
    }
  }
}

// DescribeOutputs: an old number is z = slope z' + offset of the new one, so that
// z' = z/slope − offset/slope.
void DescribeOutputs(const Problem& problem, bool moved, UnitsMove& move) {
  OutputsChange& outputs = move.outputs;
  outputs.gain.setOnes(problem.num_logits());
  outputs.shift.setZero(problem.num_logits());
  if (moved) {
    outputs.gain = move.of_targets.slope.cwiseInverse();
    outputs.shift = -move.of_targets.offset.cwiseProduct(outputs.gain);
  }
  outputs.spread = outputs.gain;
  if (problem.in_noise_units()) outputs.spread.setOnes();
}

// CarryNoise scales what was learned of a variance by the square of its unit; with `keeps_first`
// what was held at first stays. A track forgets that, so it is scaled whole once a model has
// settled.
void CarryNoise(const NoiseModel& model, const Vector& gain, bool keeps_first, NoiseState& noise) {
  for (Index c = 0; c < noise.rate.size(); ++c) {
    const double first = keeps_first ? std::min(model.rate, noise.rate[c]) : 0;
    noise.rate[c] = first + (noise.rate[c] - first) * gain[c] * gain[c];
  }
}

}  // namespace

bool MoveUnits(const Problem& problem, const LearnerState& state, Workspace& w,
               LearnerState& next) {
  UnitsMove& move = w.units;
  const double tolerance = state.examples > 0 ? ToleranceOf(problem) : 0;
  const bool given = problem.noise().kind == NoiseModel::Kind::kGiven;
  const bool inputs = problem.encoder.MoveUnits(tolerance, next.inputs, move.of_inputs);
  DescribeInputs(problem, next.inputs.units.size(), inputs, move);
  const UnknownScale unknown = given ? UnknownScale::kOne : UnknownScale::kAsNew;
  const bool targets =
      problem.target_encoder.MoveUnits(tolerance, unknown, next.targets, move.of_targets);
  DescribeOutputs(problem, targets, move);
  return inputs || targets;
}

bool CarriesOver(const Problem& problem, const LearnerState& state) {
  const bool hidden = problem.layers.size() > 1;
  return state.examples >= (hidden ? kSettledExamples : 1) && problem.dataset_size() == 0;
}

absl::Status CarryBeliefs(const Problem& problem, const LearnerState& state, Workspace& w) {
  UnitsMove& move = w.units;
  const NoiseModel noise = problem.noise();
  const bool settled = state.examples >= kSettledExamples;
  move.beliefs = state.beliefs;
  for (std::size_t k = 0; k < move.beliefs.size(); ++k) {
    Belief& belief = move.beliefs[k];
    absl::Status status = ChangePriorScales(problem, k, w);
    if (!status.ok()) return status;
    ScalePriorPrecision(problem, k, belief.prior_scales, move.after);
    const Carrying by{.layers = problem.layers,
                      .inputs = move.inputs,
                      .outputs = move.outputs,
                      .prior_mean = problem.prior_mean,
                      .prior_precision = move.after,
                      .stands = !Drifts(problem, k),
                      .settled = settled};
    status = std::visit([&](auto& q) { return q.Carry(by, move.scratch); }, belief.posterior);
    if (!status.ok()) return status;
    if (!noise.learned()) continue;
    CarryNoise(noise, move.outputs.gain, true, belief.noise);
    for (NoiseState& track : belief.tracks) {
      CarryNoise(noise, move.outputs.gain, !settled, track);
    }
  }
  return absl::OkStatus();
}

}  // namespace prequel
