// How a belief that drifts goes through a minibatch where it cannot go row by row
// (core/learner/drifting/in_turn.h): in steps, so that the rows meet the drift that lies between
// them. One step for each row would be exact, and each costs a fit of its own. A single step drifts
// before it all at once, and is learned as a belief that stands still learns, from what the
// prediction already knows.
#pragma once

#include <algorithm>

#include "core/learner/problem.h"
#include "core/linalg/types.h"
#include "core/rules/step_report.h"

namespace prequel {

// Rows [first, first + count) of a minibatch. Before the step the belief drifts for `count` rows.
struct Step {
  Index first = 0, count = 0;
};

// A network's step costs the more the fewer its rows are, and drifts little: by default, and by 64
// rows, 0.064 of the prior's variance. Four steps of 16 rows cost as much for 32 units, and for 128
// up to half as much again; and they predicted two made streams no better (NLL 0.0885 and 0.1023;
// by one step 0.0884 and 0.1018).
constexpr Index kMostSteps = 8, kMostStepsOfNetwork = 4, kFewestRowsOfNetwork = 64;
// The more logits a softmax couples in a linear model, the dearer is each step. By minibatches of
// 64 rows, with weights redrawn twice in 6,000 rows, the NLL of 4 / 10 / 26 classes was 0.581 /
// 0.945 / 1.250 by eight steps and 0.585 / 0.945 / 1.249 by two.
constexpr Index kFewClassesInSteps = 3, kMostStepsOfClasses = 2;

// `classes`: the logits that a softmax couples; 1 of other models.
inline Index NumSteps(bool linear, Index classes, Index rows) {
  if (!linear) return std::clamp<Index>(rows / kFewestRowsOfNetwork, 1, kMostStepsOfNetwork);
  return std::min(rows, classes > kFewClassesInSteps ? kMostStepsOfClasses : kMostSteps);
}

inline Index NumSteps(const Problem& problem, Index rows) {
  return NumSteps(problem.setting().linear, problem.classes() ? problem.num_logits() : 1, rows);
}

// StepOf is step s of the `steps` steps of a minibatch of `rows` rows; their sizes differ by at
// most one.
inline Step StepOf(Index rows, Index steps, Index s) {
  const Index first = s * rows / steps;
  return {first, (s + 1) * rows / steps - first};
}

// Overlap is the part of rows [first, first + count) of the minibatch that lies in the step,
// counted from `first`.
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
