#include "core/scores/scoring.h"

namespace prequel {

void AddClassified(ConstVectorRef probabilities, Index label, double log_probability,
                   Tally& tally) {
  const Vector logs = Vector::Constant(probabilities.size(), log_probability);
  const Matrix labels = Matrix::Constant(1, 1, static_cast<double>(label));
  tally.Add(ClassOutcomes{probabilities, logs, labels});
}

Tally ScoreExamples(Predictive& predictive, const Matrix& targets) {
  Tally tally(predictive.classes() ? TargetKind::kClasses : TargetKind::kValues);
  if (predictive.classes()) {
    const ClassPredictive& p = predictive.Classes(false);
    tally.Add(ClassOutcomes{p.probabilities, p.log_probabilities, targets});
    return tally;
  }
  const double share = 1.0 / static_cast<double>(targets.rows());
  for (Index i = 0; i < targets.cols(); ++i) {
    tally.AddExample();
    for (Index o = 0; o < targets.rows(); ++o) {
      tally.Add(ValueOutcome{predictive.At(o, i), targets(o, i), share});
    }
  }
  return tally;
}

}  // namespace prequel
