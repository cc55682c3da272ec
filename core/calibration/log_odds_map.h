// What miscalibration is left, place by place: log odds are told apart by where they lie among
// those of late, as far as the labels tell them apart.
//
// With u = (z − μ)/s, z the log odds as the model has them, μ and s their running moments over the
// last 10,000 rows; h(u) the hat functions on 25 knots u_j = −3, −2.75, … 3 (what lies beyond is as
// the last knot); and g ~ N(m, P) the values of a Gaussian process at the knots,
// K_ij = 0.5 exp(−(u_i − u_j)²/(2 · 0.3²)):
//   p″ = E σ(z′ + h(u)ᵀg),   z′ the log odds once recalibrated
// of which as much is served as its predictions are believed (core/calibration/pair_weights.h).
// g is learned row by row (core/calibration/offset_logistic.h). What is known of it becomes less
// sure, since a model that learns on moves what it says: with κ = e^{−32 · 0.001}, every 32 rows
//   P ← κ P + (1 − κ) K
#pragma once

#include "core/calibration/pair_weights.h"
#include "core/linalg/types.h"

namespace prequel {

// LogOddsMapState is empty for a model that is not recalibrated.
struct LogOddsMapState {
  double rows = 0;                    // seen
  double location = 0, variance = 0;  // μ, s²
  Vector mean;                        // m: 25
  Matrix covariance;                  // P: 25 × 25
  PairWeightsState weights;           // of p″, the second of the two

  bool empty() const { return mean.size() == 0; }

  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("rows", s.rows);
    a.Value("location", s.location);
    a.Value("variance", s.variance);
    a.Value("mean", s.mean);
    a.Value("covariance", s.covariance);
    a.Value("weights", s.weights);
  }
};

LogOddsMapState FreshLogOddsMap();
bool IsSound(const LogOddsMapState& state);

// MappedLogOdds returns logit p″, within ±100. REQUIRES: `state` is not empty; so do the two below.
double MappedLogOdds(const LogOddsMapState& state, double z, double recalibrated);

// LearnLogOddsMap learns from a row that came true (y = 1) or did not (y = 0) and counts `weight`
// times. MoveLogOddsMap then counts the row and moves μ, s and P: it is called for each row of a
// minibatch once all of them have been learned.
void LearnLogOddsMap(double z, double recalibrated, double y, double weight,
                     LogOddsMapState& state);
void MoveLogOddsMap(double z, LogOddsMapState& state);

}  // namespace prequel
