#include "core/scores/scoring.h"

namespace prequel {
namespace {

// The first of equals.
Index LikeliestOf(ConstVectorRef probabilities) {
  Index top = 0;
  for (Index c = 1; c < probabilities.size(); ++c) {
    if (probabilities[c] > probabilities[top]) top = c;
  }
  return top;
}

}  // namespace

void AddClassified(ConstVectorRef probabilities, Index label, double log_probability,
                   Tally& tally) {
  tally.AddExample();
  tally.Add(ClassOutcome{probabilities, label, log_probability, LikeliestOf(probabilities)});
}

Tally ScoreExamples(Predictive& predictive, const Matrix& targets) {
  Tally tally(predictive.classes() ? TargetKind::kClasses : TargetKind::kValues);
  if (predictive.classes()) {
    const ClassPredictive& p = predictive.Classes(false);
    for (Index i = 0; i < targets.cols(); ++i) {
      const auto label = static_cast<Index>(targets(0, i));
      AddClassified(p.probabilities.col(i), label, p.log_probabilities(label, i), tally);
    }
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
