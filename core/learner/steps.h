// How a belief that drifts goes through a minibatch: in steps, so that the rows meet the drift that
// lies between them. One step for each row would be exact, and each costs a fit of its own.
#pragma once

#include <algorithm>

#include "core/linalg/types.h"

namespace prequel {

// Rows [first, first + count) of a minibatch. Before the step the belief drifts for `count` rows.
struct Step {
  Index first = 0, count = 0;
};

constexpr Index kMostSteps = 8;

inline Index NumSteps(Index rows) { return std::min(rows, kMostSteps); }

// Step s of those of a minibatch of so many rows; sizes differ by at most one.
inline Step StepOf(Index rows, Index s) {
  const Index steps = NumSteps(rows), first = s * rows / steps;
  return {first, (s + 1) * rows / steps - first};
}

// The part of rows [first, first + count) of the minibatch that lies in the step, from `first` on.
inline Step Overlap(const Step& step, Index first, Index count) {
  const Index begin = std::max(step.first, first);
  const Index end = std::min(step.first + step.count, first + count);
  return {begin - first, std::max<Index>(0, end - begin)};
}

}  // namespace prequel
