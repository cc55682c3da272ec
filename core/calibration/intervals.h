// Central intervals of values and counts that hold as often as they say, whatever the data:
// adaptive conformal inference (Gibbs and Candès 2021, "Adaptive conformal inference under
// distribution shift") on the levels of the predictive's own intervals.
//
// For each of a few levels c the interval that is served is the predictive's own of level σ(θ_c).
// With s_i the level of the own interval that just reaches y_i,
//   θ_c += 0.005 Σ_i (c − 1[s_i ≤ σ(θ_c)]) / max(c(1 − c), 0.05)
// so coverage comes to c. Between those levels logit s − logit c is linear in logit c, and beyond
// them constant; so quantiles stay in order.
#pragma once

#include <array>
#include <cstddef>

#include "core/distributions/distribution.h"
#include "core/linalg/types.h"

namespace prequel {

// Empty of a model whose intervals are its own.
struct IntervalsState {
  Matrix shifts;  // θ_c − logit c: levels × outputs

  bool empty() const { return shifts.size() == 0; }

  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("shifts", s.shifts);
  }
};

IntervalsState FreshIntervals(Index outputs);
bool IsSound(const IntervalsState& state, Index outputs);

// Where y lies among the intervals of a predictive: P(Y ≤ y), and P(Y < y), which is the same but
// of counts.
struct Position {
  double upper = 0, lower = 0;
};

// Folds in where each y lies in the predictive's own intervals: of output o in example i at
// [o + i · outputs].
void LearnIntervals(const Position* positions, Index rows, IntervalsState& state);

// The levels that are served instead of a predictive's own, for one output.
class ServedLevels {
 public:
  static constexpr std::size_t kKnots = 6;

  ServedLevels() = default;  // its own
  ServedLevels(const IntervalsState& state, Index output);

  // P(Y ≤ y) as the predictive has it, of a probability as it is served; and back. Both increase
  // from 0 to 1 and map p to 1 − p where they map 1 − p to p.
  double Own(double served) const { return Map(served, logits_, owns_); }
  double Served(double own) const { return Map(own, owns_, logits_); }
  Position Served(const Position& own) const {
    const double upper = Served(own.upper);
    return {upper, own.lower == own.upper ? upper : Served(own.lower)};
  }

 private:
  using Knots = std::array<double, kKnots>;
  double Map(double p, const Knots& from, const Knots& to) const;

  bool moved_ = false;
  Knots logits_{}, owns_{};  // logit c, and what θ_c comes to once they increase
};

// A predictive with its quantiles and its mean as they are served. All else is its own.
class Calibrated final : public Distribution {
 public:
  // Both outlive the use. The mean is served times `mean_factor`.
  void Assign(const Distribution& own, const ServedLevels& levels, double mean_factor) {
    own_ = &own;
    levels_ = &levels;
    mean_factor_ = mean_factor;
  }

  bool discrete() const override { return own_->discrete(); }
  double LogDensity(double y) const override { return own_->LogDensity(y); }
  double Cdf(double y) const override { return levels_->Served(own_->Cdf(y)); }
  double Quantile(double p) const override { return own_->Quantile(levels_->Own(p)); }
  double Crps(double y) const override { return own_->Crps(y); }
  void AddCrps(double y, double share, double& sum) const override { own_->AddCrps(y, share, sum); }
  double Mean() const override { return mean_factor_ * own_->Mean(); }
  double Residual(double y) const override {
    return mean_factor_ == 1 ? own_->Residual(y) : y - Mean();
  }
  double EpistemicVariance() const override { return own_->EpistemicVariance(); }
  double AleatoricVariance() const override { return own_->AleatoricVariance(); }

 private:
  const Distribution* own_ = nullptr;
  const ServedLevels* levels_ = nullptr;
  double mean_factor_ = 1;
};

}  // namespace prequel
