// How a belief that drifts goes through a minibatch where it cannot go row by row
// (core/learner/drifting/in_turn.h): in steps, so that the rows meet the drift that lies between
// them. One step for each row would be exact, and each costs a fit of its own.
#pragma once

#include <algorithm>

#include "core/linalg/types.h"
#include "core/rules/step_report.h"

namespace prequel {

// Rows [first, first + count) of a minibatch. Before the step the belief drifts for `count` rows.
struct Step {
  Index first = 0, count = 0;
};

// Of a network, of which a step costs the more the fewer its rows are, half as many.
constexpr Index kMostSteps = 8, kMostStepsOfNetwork = 4;

inline Index NumSteps(bool linear, Index rows) {
  return std::min(rows, linear ? kMostSteps : kMostStepsOfNetwork);
}

// Step s of so many of a minibatch; their sizes differ by at most one.
inline Step StepOf(Index rows, Index steps, Index s) {
  const Index first = s * rows / steps;
  return {first, (s + 1) * rows / steps - first};
}

// The part of rows [first, first + count) of the minibatch that lies in the step, from `first` on.
inline Step Overlap(const Step& step, Index first, Index count) {
  const Index begin = std::max(step.first, first);
  const Index end = std::min(step.first + step.count, first + count);
  return {begin - first, std::max<Index>(0, end - begin)};
}

// Adds what was learned from some rows to the report of the minibatch.
inline void AddReport(const StepReport& of_step, StepReport& report) {
  report.passes = std::max(report.passes, of_step.passes);
  report.converged = report.converged && of_step.converged;
  report.residual = of_step.residual;
  report.local_elbo += of_step.local_elbo;
  report.kl += of_step.kl;
  report.phase = of_step.phase;
}

}  // namespace prequel
