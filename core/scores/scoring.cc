#include "core/scores/scoring.h"

namespace prequel {

void AddClassified(ConstVectorRef probabilities, Index label, double log_probability,
                   Tally& tally) {
  const Vector logs = Vector::Constant(probabilities.size(), log_probability);
  const Matrix labels = Matrix::Constant(1, 1, static_cast<double>(label));
  tally.Add(ClassOutcomes{probabilities, logs, labels});
}

void ScoreExamples(Predictive& predictive, const Matrix& targets, const Vector& weights,
                   std::vector<Position>& positions, Matrix& errors, Judgement& judgement) {
  predictive.ServeRaw(false);
  const Vector* const of = weights.size() > 0 ? &weights : nullptr;
  const bool calibrates = predictive.calibrates();
  if (predictive.classes()) {
    const ClassPredictive& p = predictive.Classes(false);
    judgement.served.Add(ClassOutcomes{p.probabilities, p.log_probabilities, targets, of});
    if (!calibrates) return;
    const ClassPredictive& raw = predictive.RawClasses(false);
    judgement.raw.Add(ClassOutcomes{raw.probabilities, raw.log_probabilities, targets, of});
    return;
  }
  errors.resize(targets.rows(), targets.cols());
  if (calibrates) positions.resize(static_cast<std::size_t>(targets.size()));
  const Asks changed = predictive.balances() ? Asks::kLevels | Asks::kMean : Asks::kLevels;
  for (Index i = 0; i < targets.cols(); ++i) {
    const double weight = of == nullptr ? 1 : weights[i];
    const double share = weight / static_cast<double>(targets.rows());
    judgement.served.AddExample(weight);
    if (calibrates) judgement.raw.AddExample(changed, weight);
    for (Index o = 0; o < targets.rows(); ++o) {
      const double y = targets(o, i);
      const Distribution& own = predictive.RawAt(o, i);
      errors(o, i) = own.Residual(y);
      const double upper = own.Cdf(y);
      const Position raw{upper, own.discrete() ? own.Cdf(y - 1) : upper};
      const Position at = calibrates ? predictive.Levels(o).Served(raw) : raw;
      judgement.served.Add(
          ValueOutcome{predictive.Served(own, o), y, share, at.upper, at.lower, weight});
      if (!calibrates) continue;
      judgement.raw.Add(ValueOutcome{own, y, share, raw.upper, raw.lower, weight}, changed);
      positions[static_cast<std::size_t>(o + i * targets.rows())] = raw;
    }
  }
}

void ScoreFirstBelief(Predictive& predictive, const Matrix& targets, const Vector& weights,
                      Tally& tally) {
  const Vector* const of = weights.size() > 0 ? &weights : nullptr;
  if (predictive.classes()) {
    const ClassPredictive& p = predictive.FirstClasses();
    tally.Add(ClassOutcomes{p.probabilities, p.log_probabilities, targets, of});
    return;
  }
  constexpr Asks kPoint = Asks::kDensity | Asks::kMean;
  for (Index i = 0; i < targets.cols(); ++i) {
    const double weight = of == nullptr ? 1 : weights[i];
    const double share = weight / static_cast<double>(targets.rows());
    tally.AddExample(kPoint, weight);
    for (Index o = 0; o < targets.rows(); ++o) {
      tally.Add(ValueOutcome{predictive.FirstAt(o, i), targets(o, i), share, 0, 0, weight}, kPoint);
    }
  }
}

}  // namespace prequel
