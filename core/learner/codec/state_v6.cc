#include "core/learner/codec/state_v6.h"

namespace prequel {

void UpgradeFromV6(const Problem& problem, LearnerState& state) {
  state.calibration.classes.map = problem.FreshCalibration().classes.map;
}

}  // namespace prequel
