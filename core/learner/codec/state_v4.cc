#include "core/learner/codec/state_v4.h"

#include <limits>

namespace prequel {

void UpgradeFromV4(const Problem& problem, LearnerState& state) {
  state.change = {};
  state.change.watch = problem.input_watch().Fresh();
  state.change.errors = problem.error_watch().Fresh();
  state.evaluation.still = Comparison(state.evaluation.cumulative.kind());
  if (problem.restarts.any()) state.restarts.rows = std::numeric_limits<double>::infinity();
}

}  // namespace prequel
