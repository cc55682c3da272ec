// A world that stands still until it becomes another one, at a rate of h per row and nobody knows
// when (Adams and MacKay 2007, "Bayesian online changepoint detection"). Of it K runs are held,
// each of the rows since some restart. With η = 1 − e^{−hn} over the n rows of a minibatch, as
// predicted,
//   log w_ℓ ← log w_ℓ + log(1 − η) + log p_ℓ(y),     log w_new = log η + log p(y | prior)
// Of these K + 1 the likeliest K are kept: the new run takes the place of the least likely one
// where it is more likely than that.
#pragma once

#include "core/dynamics/restarts.h"
#include "core/linalg/types.h"

namespace prequel {

class RunLengths {
 public:
  static constexpr Index kMostRuns = 16;

  RunLengths() = default;  // no runs
  // REQUIRES: hazard > 0, 2 ≤ runs ≤ kMostRuns.
  RunLengths(double hazard, Index runs) : hazard_(hazard), runs_(runs) {}

  bool any() const { return runs_ > 0; }
  Index runs() const { return runs_; }  // K

  // Fresh is the state before the first minibatch: all is one run, and the others are of no weight.
  RestartState Fresh() const;
  bool IsSound(const RestartState& state) const;

  // Weights says what each run and a new one are worth of a minibatch of `rows` rows, before it is
  // known: K + 1, which sum to 1.
  void Weights(const RestartState& state, double rows, VectorRef out) const;

  // Absorb folds in the log densities of the minibatch under each run and under a new one, K + 1.
  // `begun` is the place of the run that is to begin anew and learn the minibatch from the prior,
  // or −1. False, with the state as it was, when none of them thinks it possible.
  bool Absorb(ConstVectorRef log_densities, double rows, RestartState& state, Index& begun) const;

 private:
  double hazard_ = 0;
  Index runs_ = 0;
};

}  // namespace prequel
