#include "core/scores/scoring.h"

namespace prequel {

void AddClassified(ConstVectorRef probabilities, Index label, double log_probability,
                   Tally& tally) {
  const Vector logs = Vector::Constant(probabilities.size(), log_probability);
  const Matrix labels = Matrix::Constant(1, 1, static_cast<double>(label));
  tally.Add(ClassOutcomes{probabilities, logs, labels});
}

void ScoreExamples(Predictive& predictive, const Matrix& targets, std::vector<Position>& positions,
                   Matrix& errors, Judgement& judgement) {
  predictive.ServeRaw(false);
  const bool calibrates = predictive.calibrates();
  if (predictive.classes()) {
    const ClassPredictive& p = predictive.Classes(false);
    judgement.served.Add(ClassOutcomes{p.probabilities, p.log_probabilities, targets});
    if (!calibrates) return;
    const ClassPredictive& raw = predictive.RawClasses(false);
    judgement.raw.Add(ClassOutcomes{raw.probabilities, raw.log_probabilities, targets});
    return;
  }
  errors.resize(targets.rows(), targets.cols());
  if (calibrates) positions.resize(static_cast<std::size_t>(targets.size()));
  const double share = 1.0 / static_cast<double>(targets.rows());
  const Asks changed = predictive.balances() ? Asks::kLevels | Asks::kMean : Asks::kLevels;
  for (Index i = 0; i < targets.cols(); ++i) {
    judgement.served.AddExample();
    if (calibrates) judgement.raw.AddExample(changed);
    for (Index o = 0; o < targets.rows(); ++o) {
      const double y = targets(o, i);
      const Distribution& own = predictive.RawAt(o, i);
      errors(o, i) = own.Residual(y);
      const double upper = own.Cdf(y);
      const Position raw{upper, own.discrete() ? own.Cdf(y - 1) : upper};
      const Position at = calibrates ? predictive.Levels(o).Served(raw) : raw;
      judgement.served.Add(ValueOutcome{predictive.Served(own, o), y, share, at.upper, at.lower});
      if (!calibrates) continue;
      judgement.raw.Add(ValueOutcome{own, y, share, raw.upper, raw.lower}, changed);
      positions[static_cast<std::size_t>(o + i * targets.rows())] = raw;
    }
  }
}

void ScoreFirstBelief(Predictive& predictive, const Matrix& targets, Tally& tally) {
  if (predictive.classes()) {
    const ClassPredictive& p = predictive.FirstClasses();
    tally.Add(ClassOutcomes{p.probabilities, p.log_probabilities, targets});
    return;
  }
  const double share = 1.0 / static_cast<double>(targets.rows());
  constexpr Asks kPoint = Asks::kDensity | Asks::kMean;
  for (Index i = 0; i < targets.cols(); ++i) {
    tally.AddExample(kPoint);
    for (Index o = 0; o < targets.rows(); ++o) {
      tally.Add(ValueOutcome{predictive.FirstAt(o, i), targets(o, i), share, 0, 0}, kPoint);
    }
  }
}

}  // namespace prequel
