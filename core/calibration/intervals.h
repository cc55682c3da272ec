// Quantiles of values and counts below which as many rows lie as they say, on either side and
// whatever the data: adaptive conformal inference (Gibbs and Candès 2021, "Adaptive conformal
// inference under distribution shift") on the probabilities of the predictive's own quantiles.
//
// For each of a few probabilities p the quantile that is served is the predictive's own of the
// probability σ(θ_p). With F the predictive's own distribution function,
//   θ_p += 0.005 Σ_i (p − 1[F(y_i) ≤ σ(θ_p)]) / max(p(1 − p), 0.025)     √(8/B) of it for B > 8
// so as many y lie below it as p says; of counts, on which many quantiles fall, no more than p lie
// below those of p < ½ and no more than 1 − p above those of p > ½. Where the quantiles have
// crossed they are put in order, which takes none further from its p (Chernozhukov, Fernández-Val
// and Galichon 2010, "Quantile and probability curves without crossing"). Between them
// logit σ(θ_p) − logit p is linear in logit p, and beyond them constant.
#pragma once

#include <array>
#include <cstddef>

#include "core/distributions/distribution.h"
#include "core/linalg/types.h"

namespace prequel {

// IntervalsState is empty for a model that serves its own intervals.
struct IntervalsState {
  Matrix shifts;  // θ_p − logit p: probabilities × outputs

  bool empty() const { return shifts.size() == 0; }

  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("shifts", s.shifts);
  }
};

IntervalsState FreshIntervals(Index outputs);
bool IsSound(const IntervalsState& state, Index outputs);

// Position says where y lies in a predictive: P(Y ≤ y), and P(Y < y), which differs for counts
// only.
struct Position {
  double upper = 0, lower = 0;
};

// LearnIntervals folds in where each y lies in the predictive's own distribution: output o of
// example i is at [o + i · outputs]. Each row counts as often as `weights` says (`rows` of them;
// empty: once).
void LearnIntervals(const Position* positions, Index rows, const Vector& weights,
                    IntervalsState& state);

// ServedLevels maps, for one output, a predictive's own probabilities to those that are served.
class ServedLevels {
 public:
  static constexpr std::size_t kKnots = 13;

  ServedLevels() = default;  // its own
  ServedLevels(const IntervalsState& state, Index output);

  // Own returns P(Y ≤ y) as the predictive has it for a probability as it is served, and Served the
  // reverse. Both increase from 0 to 1.
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
  Knots logits_{}, owns_{};  // logit p, and the θ_p in order
};

// Calibrated is a predictive with its quantiles, their probabilities and its mean as they are
// served. All else is its own.
class Calibrated final : public Distribution {
 public:
  // Assign takes both by reference: they outlive the use. The mean is served times `mean_factor`.
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
