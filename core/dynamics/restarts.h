// A world that at some row becomes another one, at a rate of h per row and nobody knows when. Two
// runs of it are held: all rows so far, and those since the latest restart. With η = 1 − e^{−hn}
// over the n rows of a minibatch, as predicted,
//   log w_ℓ ← log w_ℓ + log(1 − η) + log p_ℓ(y),     log w_new = log η + log p(y | prior)
// (Adams and MacKay 2007, "Bayesian online changepoint detection"). The new run takes the place of
// the latest where it is more likely.
#pragma once

#include "core/linalg/types.h"

namespace prequel {

// RestartState is empty for a model that thinks of no restarts.
struct RestartState {
  Vector log_weights;  // of both runs: all rows, those since the latest restart
  double rows = 0;     // of the latter

  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("log_weights", s.log_weights);
    a.Value("rows", s.rows);
  }
};

class Restarts {
 public:
  Restarts() = default;  // there are none
  explicit Restarts(double hazard) : hazard_(hazard) {}

  bool any() const { return hazard_ > 0; }

  // The state before the first minibatch.
  RestartState Fresh() const;
  bool IsSound(const RestartState& state) const;

  // Weights says what both runs and a new one are worth of a minibatch of `rows` rows, before it is
  // known; they sum to 1. REQUIRES: any().
  Eigen::Vector3d Weights(const RestartState& state, double rows) const;

  // Absorb folds in the log densities of the minibatch under the three. True when the new run takes
  // the place of the latest: it is to learn the minibatch from the prior.
  bool Absorb(const Eigen::Vector3d& log_densities, double rows, RestartState& state) const;

 private:
  double hazard_ = 0;
};

}  // namespace prequel
