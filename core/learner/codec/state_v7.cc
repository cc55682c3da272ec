#include "core/learner/codec/state_v7.h"

namespace prequel {

void UpgradeFromV7(const Problem& problem, LearnerState& state) {
  state.calibration.balance = problem.FreshCalibration().balance;
}

}  // namespace prequel
