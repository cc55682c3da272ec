#include "core/learner/codec/state_v9.h"

namespace prequel {
namespace {

constexpr Index kCentralLevels = 6;

Units UnitsOf(const RunningMoments& moments) {
  Units units = Units::Unknown(moments.size());
  units.location = moments.mean;
  for (Index i = 0; i < units.size(); ++i) units.scale[i] = moments.KnownScale(i);
  return units;
}

}  // namespace

void UpgradeFromV9(const Problem& problem, LearnerState& state) {
  IntervalsState& intervals = state.calibration.intervals;
  if (intervals.shifts.rows() == kCentralLevels) intervals = FromCentral(intervals.shifts);
  for (RunningMoments* moments : {&state.inputs.moments, &state.targets.moments}) {
    moments->far = moments->rare = Vector::Zero(moments->size());
  }
  state.targets.units = UnitsOf(state.targets.moments);
  const bool standardizes = problem.encoder.Initial().units.size() > 0;
  state.inputs.units = standardizes ? UnitsOf(state.inputs.moments) : Units::Unknown(0);
}

}  // namespace prequel
