// One hypothesis of a model: what it holds of the weights, and how much it is believed.
#pragma once

#include <string>

#include "core/dynamics/dynamics.h"
#include "core/posteriors/posterior.h"
#include "core/rules/rule.h"

namespace prequel {

// Inverse-gamma knowledge of each output's noise variance, in the units the model learns in.
// Empty unless the likelihood learns its noise.
struct NoiseState {
  Vector shape;  // α
  Vector rate;   // β

  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("shape", s.shape);
    a.Value("rate", s.rate);
  }
};

// Copying into a belief of the same shape allocates nothing.
struct Belief {
  double log_weight = 0;  // nats; those of all beliefs are of weights that sum to 1
  Posterior posterior;
  NoiseState noise;
  RuleState rule;
  DynamicsState dynamics;
  // With storage float32: posterior and rule, which are then empty (learner/packing.h).
  std::string packed;
};

}  // namespace prequel
