#include "core/learner/codec/state_v3.h"

namespace prequel {

void UpgradeFromV3(const Problem& problem, LearnerState& state) {
  state.calibration = problem.FreshCalibration();
  state.references = problem.references().Fresh();
  Evaluation& evaluation = state.evaluation;
  evaluation.raw = evaluation.last = evaluation.average = Comparison(evaluation.cumulative.kind());
}

}  // namespace prequel
