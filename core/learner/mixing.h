// The weights of beliefs, as the dynamics of a model have them.
#pragma once

#include "core/learner/belief.h"
#include "core/learner/learner_state.h"
#include "core/learner/problem.h"

namespace prequel {

// Log weights of all beliefs from state.mixing, where the dynamics mix them.
inline void WeighByMixing(const Problem& problem, LearnerState& state) {
  if (!problem.mixing.mixes()) return;
  for (std::size_t k = 0; k < state.beliefs.size(); ++k) {
    state.beliefs[k].log_weight = Mixing::LogWeight(state.mixing, static_cast<Index>(k));
  }
}

}  // namespace prequel
