// One hypothesis of a model: what it holds of the weights, and how much it is believed.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/dynamics/dynamics.h"
#include "core/likelihoods/noise_model.h"
#include "core/linalg/types.h"
#include "core/posteriors/posterior.h"
#include "core/rules/rule.h"

namespace prequel {

// Copying into a belief of the same shape allocates nothing.
struct Belief {
  double log_weight = 0;  // nats, of all its tracks; those of all beliefs sum to 1
  Posterior posterior;
  NoiseState noise;                // as all rows tell it alike
  std::vector<NoiseState> tracks;  // and as late ones do, in the order of the dynamics' noise rates
  Vector prior_scales;             // κ of each group of weights (carrying/prior_scales.h), or none
  RuleState rule;
  DynamicsState dynamics;
  // With storage float32 `packed` holds posterior and rule, which are then empty
  // (learner/codec/packing.h).
  std::string packed;
};

inline const Vector& MeanOf(const Posterior& posterior) {
  return std::visit([](const auto& q) -> const Vector& { return q.mean; }, posterior);
}

}  // namespace prequel
