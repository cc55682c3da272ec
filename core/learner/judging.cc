#include "core/learner/judging.h"

#include "core/scores/scoring.h"

namespace prequel {

void JudgeRows(const Problem& problem, const LearnerState& state, const Matrix& outcomes,
               Workspace& w, LearnerState& next, Judgement& judgement) {
  Predictive& predictive = w.predictive;
  CalibrationScratch& scratch = w.calibration;
  ScoreExamples(predictive, outcomes, scratch.positions, judgement);
  problem.references().Score(state.references, outcomes, predictive.units().scale, w.references,
                             judgement.last, judgement.average);
  if (!predictive.calibrates()) return;
  if (predictive.classes()) {
    LearnRecalibration(predictive.recalibrated(), outcomes, next.calibration.classes,
                       scratch.classes);
  } else {
    LearnIntervals(scratch.positions.data(), outcomes.cols(), next.calibration.intervals);
  }
}

}  // namespace prequel
