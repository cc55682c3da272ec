#include "core/learner/judging.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/learner/belief.h"
#include "core/learner/prediction.h"
#include "core/scores/scoring.h"

namespace prequel {
namespace {

// NoiseFound is the deviation of the noise as all rows tell it and as the likeliest track does, of
// the first output and in the units of the targets.
Finding NoiseFound(const Vector& weights, const LearnerState& next) {
  const Belief& belief = next.beliefs.front();
  if (belief.tracks.empty()) return {};
  Index likeliest = 0;
  weights.segment(1, static_cast<Index>(belief.tracks.size())).maxCoeff(&likeliest);
  const double scale = next.targets.units.size() > 0 ? next.targets.units.Scale(0) : 1;
  const auto deviation = [&](const NoiseState& noise) {
    const double all = scale * std::sqrt(noise.rate[0] / noise.shape[0]);
    return std::isfinite(all) ? all : 0;
  };
  return {.spread = true,
          .before = deviation(belief.noise),
          .after = deviation(belief.tracks[static_cast<std::size_t>(likeliest)])};
}

// InUnitsOfNoise turns errors in the units of the targets to errors as they are watched.
void InUnitsOfNoise(const LearnerState& state, const Vector& scale, Matrix& errors) {
  const NoiseState& noise = state.beliefs.front().noise;
  for (Index o = 0; o < errors.rows(); ++o) {
    const double factor = 1 / (scale[o] * std::sqrt(noise.rate[o] / noise.shape[o]));
    for (Index i = 0; i < errors.cols(); ++i) errors(o, i) = WatchedError(factor * errors(o, i));
  }
}

void LearnCalibration(const LearnerState& state, const Matrix& outcomes, const Vector& weights,
                      Workspace& w, CalibrationState& next) {
  CalibrationScratch& scratch = w.calibration;
  if (w.predictive.classes()) {
    LearnRecalibration(w.predictive.recalibrated(), outcomes, weights, next.classes,
                       scratch.classes);
    return;
  }
  LearnIntervals(scratch.positions.data(), outcomes.cols(), weights, next.intervals);
  // Means that were predicted before any row was learned say nothing of those to come.
  if (w.predictive.balances() && state.examples > 0) {
    LearnBalance(outcomes, w.errors, weights, next.balance);
  }
}

// HasTwin: whether there is a belief that stands still beside others, and scoring it alone costs
// little.
bool HasTwin(const Problem& problem) {
  const bool counts = problem.predicted() == Predicted::kCounts;
  if (counts || !problem.mixing.mixes() || Drifts(problem, 0)) return false;
  for (Index k = 1; k < problem.num_beliefs(); ++k) {
    if (Drifts(problem, static_cast<std::size_t>(k))) return true;
  }
  return problem.restarts.any();
}

}  // namespace

void JudgeRows(const Problem& problem, const LearnerState& state, const Matrix& outcomes,
               const Vector& weights, Workspace& w, LearnerState& next, Judgement& judgement) {
  Predictive& predictive = w.predictive;
  ScoreExamples(predictive, outcomes, weights, w.calibration.positions, w.errors, judgement);
  problem.references().Score(state.references, outcomes, weights, predictive.units().scale,
                             w.references, judgement.last, judgement.average);
  if (HasTwin(problem)) ScoreFirstBelief(predictive, outcomes, weights, judgement.still);
  if (predictive.calibrates()) LearnCalibration(state, outcomes, weights, w, next.calibration);
  if (problem.hypotheses.tracks() > 1) InUnitsOfNoise(state, predictive.units().scale, w.errors);
}

void WatchRows(const Problem& problem, const LearnerState& state, const Batch& rows, bool weighed,
               Workspace& w, LearnerState& next) {
  ChangeState& change = next.change;
  problem.input_watch().Absorb(rows.inputs, state.inputs.moments, w.inputs, next.revision,
                               w.watched, change.watch, change.inputs);
  if (!weighed || !problem.mixing.mixes()) return;
  if (problem.hypotheses.tracks() > 1) {
    problem.error_watch().Absorb(w.errors, next.revision, change.errors, change.unusual);
    change.unusual.found = {};  // of an output, and nobody asks
  }
  const Vector& believed = w.mixing.believed;
  UpdateAlarms(ChangeBelievedBy(problem.hypotheses, believed, next.restarts,
                                problem.config.evaluation_window),
               static_cast<double>(rows.rows()), next.revision, NoiseFound(believed, next), change);
}

}  // namespace prequel
