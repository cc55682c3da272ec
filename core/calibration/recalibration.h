// Probabilities of classes that come true as often as they say.
//
// An event of probability p has z = logit p, φ = [z/3, tanh(z/2), clip(z, ±1), 1] and weights
// w ~ N(m, P) that are learned by Bayesian logistic regression with offset z:
//   p' = E σ(z + φᵀw) ≈ σ(k(v) (z + φᵀm)),   v = φᵀP φ,   k(v) = β/√(v + β²),   β² = 8/π
// What is served is the mixture of p and p', weighed by what both have predicted
// (core/calibration/pair_weights.h); and that in the same way mixed with p″, by what is left to be
// said of log odds that lie as these do (core/calibration/log_odds_map.h). The event is class 1 of
// two classes; of more it is the likeliest class, and the others share what is left as before.
#pragma once

#include <vector>

#include "core/calibration/log_odds_map.h"
#include "core/calibration/pair_weights.h"
#include "core/distributions/class_predictive.h"
#include "core/linalg/types.h"

namespace prequel {

// RecalibrationState is empty for a model that is not recalibrated.
struct RecalibrationState {
  Vector mean;               // m: 4
  Matrix covariance;         // P: 4 × 4
  PairWeightsState weights;  // of p', the second of the two
  LogOddsMapState map;       // of p″

  bool empty() const { return mean.size() == 0 && map.empty(); }

  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("mean", s.mean);
    a.Value("covariance", s.covariance);
    a.Value("weights", s.weights);
    a.Value("map", s.map);
  }
};

// RecalibratedRow is one row of what was recalibrated.
struct RecalibratedRow {
  Index label = 0;                 // the class that is its event
  double log_yes = 0, log_no = 0;  // log p, log(1 − p)
  double log_odds = 0;             // logit p'
  double yes = 0, no = 0;          // of the mixture of p and p'
  double mapped = 0;               // logit p″
};

struct RecalibrationScratch {
  Matrix log_densities, map_log_densities;  // 2 × B
};

// FreshRecalibration gives p' and p″ little weight before the first minibatch; w and g are 0.
RecalibrationState FreshRecalibration();
bool IsSound(const RecalibrationState& state);

// Recalibrate writes the whole of `out`, and `rows`, of which each is an example of `raw`. Expected
// entropies keep their share of the entropy. REQUIRES: `state` is not empty. Allocates nothing once
// grown.
void Recalibrate(const RecalibrationState& state, const ClassPredictive& raw,
                 std::vector<RecalibratedRow>& rows, ClassPredictive& out);

// LearnRecalibration folds in `rows`, as `state` has recalibrated them, that have these labels, 1 ×
// B, each as often as `weights` says (B; empty: once). A minibatch that no number can hold leaves
// the state as it was. Allocates nothing once grown.
void LearnRecalibration(const std::vector<RecalibratedRow>& rows, const Matrix& labels,
                        const Vector& weights, RecalibrationState& state,
                        RecalibrationScratch& scratch);

}  // namespace prequel
