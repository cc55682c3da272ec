#include "core/learner/codec/sound_state.h"

#include <cmath>
#include <variant>

#include "core/learner/belief.h"
#include "core/learner/carrying/prior_scales.h"
#include "core/learner/codec/packing.h"
#include "core/learner/noise.h"

namespace prequel {
namespace {

bool HasCounts(const CommonState& state) {
  return IsCount(state.revision) && IsCount(state.examples) &&
         IsCount(state.evaluation.skipped_rows) && IsCount(state.evaluation.unscored_rows) &&
         IsCount(state.evaluation.unseen_categories);
}

bool IsSoundChange(const Problem& problem, const LearnerState& state) {
  const Index columns = problem.encoder.num_encoded();
  for (const AlarmState* alarm :
       {&state.change.inputs, &state.change.unusual, &state.change.noise, &state.change.weights}) {
    if (!alarm->IsSound(columns, state.revision)) return false;
  }
  return problem.input_watch().IsSound(state.change.watch) &&
         problem.error_watch().IsSound(state.change.errors);
}

// IsNoise: whether `values` are positive and finite, one for each output.
bool IsNoise(const Vector& values, Index outputs) {
  return values.size() == outputs && values.allFinite() && (values.array() > 0).all();
}

absl::Status CheckBelief(const Problem& problem, const Belief& belief) {
  const Index params = problem.num_params();
  const bool posterior = std::visit(
      [&]<class Q>(const Q& q) {
        const Q* prototype = std::get_if<Q>(&problem.prototype());
        return prototype != nullptr && q.IsSound(params) && q.HasShapeOf(*prototype);
      },
      belief.posterior);
  if (!posterior) return absl::DataLossError("posterior: has the wrong size or is not finite");
  const bool rule = std::visit(
      [&]<class R, class Q>(const R&, const Q& q) {
        if constexpr (Updates<R, Q>) {
          const auto& state = StateOf<R>(belief.rule);
          return state.IsSound(params) && state.Suits(q);
        }
        return false;
      },
      problem.rule, belief.posterior);
  if (!rule) return absl::DataLossError("rule: its state has the wrong size or is not finite");
  if (!std::visit([](const auto& s) { return s.IsSound(); }, belief.dynamics)) {
    return absl::DataLossError("dynamics: their state is not sound");
  }
  const Index outputs = InitialNoise(problem).shape.size();
  const Index scales = belief.prior_scales.size();
  if (!(scales == 0 || scales == NumPriorScales(problem)) || !belief.prior_scales.allFinite() ||
      !(belief.prior_scales.array() > 0).all()) {
    return absl::DataLossError("prior_scales: are not as many as the prior has, or not positive");
  }
  if (!IsNoise(belief.noise.shape, outputs) || !IsNoise(belief.noise.rate, outputs)) {
    return absl::DataLossError("noise: has the wrong size or is not positive and finite");
  }
  return absl::OkStatus();
}

absl::Status CheckTracks(const Problem& problem, std::size_t k, const Belief& belief) {
  const Index outputs = InitialNoise(problem).shape.size();
  bool sound = static_cast<Index>(belief.tracks.size()) + 1 ==
               problem.hypotheses.tracks_of(static_cast<Index>(k));
  for (const NoiseState& track : belief.tracks) {
    sound = sound && IsNoise(track.shape, outputs) && IsNoise(track.rate, outputs);
  }
  return sound ? absl::OkStatus()
               : absl::DataLossError(
                     "noise: its tracks are not as many as the dynamics have, or "
                     "not positive and finite");
}

// WeightOfNoBelief returns the weight of persistence, 0 where that is not believed. REQUIRES: the
// mixing is sound.
double WeightOfNoBelief(const Problem& problem, const LearnerState& state) {
  if (!problem.hypotheses.persistence) return 0;
  Vector weights(problem.hypotheses.size());
  Mixing::Weights(state.mixing, weights);
  return weights[problem.hypotheses.persistence_index()];
}

}  // namespace

absl::Status CheckSound(const Problem& problem, const LearnerState& state) {
  if (absl::Status status = problem.encoder.CheckState(state.inputs); !status.ok()) return status;
  if (absl::Status status = problem.target_encoder.CheckState(state.targets); !status.ok()) {
    return status;
  }
  const TargetKind kind = problem.classes() ? TargetKind::kClasses : TargetKind::kValues;
  if (state.evaluation.cumulative.kind() != kind || state.evaluation.window.kind() != kind) {
    return absl::DataLossError("evaluation: is of another kind of targets");
  }
  for (const Comparison* comparison : {&state.evaluation.raw, &state.evaluation.last,
                                       &state.evaluation.average, &state.evaluation.still}) {
    if (comparison->cumulative.kind() != kind || comparison->window.kind() != kind) {
      return absl::DataLossError("evaluation: compares with another kind of targets");
    }
  }
  if (!problem.IsSound(state.calibration)) {
    return absl::DataLossError("calibration: has the wrong size, or numbers out of range");
  }
  if (!problem.references().IsSound(state.references)) {
    return absl::DataLossError("references: have the wrong size, or numbers out of range");
  }
  if (!IsSoundChange(problem, state)) {
    return absl::DataLossError("change: has the wrong size, or numbers out of range");
  }
  if (!state.times.IsSound()) return absl::DataLossError("times: out of range");
  if (!HasCounts(state)) return absl::DataLossError("counts: out of range");
  const auto beliefs = static_cast<std::size_t>(problem.num_beliefs());
  const bool several = problem.mixing.mixes() || beliefs > 1;
  if (several && state.beliefs.size() != beliefs) {
    return absl::DataLossError("beliefs: are not as many as the dynamics have");
  }
  if (!problem.mixing.IsSound(state.mixing)) {
    return absl::DataLossError("mixing: has the wrong size, or weights that do not sum to 1");
  }
  const bool runs = problem.run_lengths.any() ? problem.run_lengths.IsSound(state.restarts)
                                              : problem.restarts.IsSound(state.restarts);
  if (!runs) {
    return absl::DataLossError("restarts: have the wrong size, or weights that do not sum to 1");
  }
  double weights = WeightOfNoBelief(problem, state);
  for (std::size_t k = 0; k < state.beliefs.size(); ++k) {
    const Belief& belief = state.beliefs[k];
    weights += std::exp(belief.log_weight);
    if (absl::Status status = CheckTracks(problem, k, belief); !status.ok()) return status;
    Belief unpacked;
    const bool packed = problem.storage == Storage::kFloat32;
    if (packed) {
      unpacked.noise = belief.noise;
      unpacked.prior_scales = belief.prior_scales;
      absl::Status status = UnpackParts(problem, belief.packed, unpacked);
      if (!status.ok()) return status;
    }
    absl::Status status = CheckBelief(problem, packed ? unpacked : belief);
    if (!status.ok()) return status;
  }
  if (!(std::abs(weights - 1) < 1e-6)) {
    return absl::DataLossError("beliefs: their weights do not sum to 1");
  }
  return absl::OkStatus();
}

}  // namespace prequel
