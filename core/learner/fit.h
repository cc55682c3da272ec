// One belief learns one minibatch: where its rule meets its posterior.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "core/learner/belief.h"
#include "core/learner/problem.h"
#include "core/learner/scratch/workspace.h"
#include "core/rules/step_report.h"

namespace prequel {

// FitBelief writes posterior and rule state of `next`: those of `belief`, belief k of a state of
// that revision, after the minibatch that the expansion of w.beliefs[k] is bound to, with its
// `prior` as what was known of it before. With learned noise it also writes the logits at the
// prior's mean to its `prior_logits`. `report` is of this belief. INTERNAL when the rule diverges;
// `next` is then unspecified.
absl::Status FitBelief(const Problem& problem, std::int64_t revision, const Belief& belief,
                       std::size_t k, Workspace& w, Belief& next, StepReport& report);

}  // namespace prequel
