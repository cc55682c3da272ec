// One belief learns one minibatch: where its rule meets its posterior.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "core/learner/belief.h"
#include "core/learner/problem.h"
#include "core/learner/workspace.h"
#include "core/rules/step_report.h"

namespace prequel {

// Writes posterior and rule state of `next`: those of `belief` after the minibatch that
// w.expansion is bound to, with w.prior as what was known of it before; and with learned noise the
// logits at the prior's mean to w.prior_logits. `report` is of this belief; `all` is scratch.
// INTERNAL when the rule diverges; `next` is then unspecified.
absl::Status FitBelief(const Problem& problem, std::int64_t revision, const Belief& belief,
                       BeliefWorkspace& w, Workspace& all, Belief& next, StepReport& report);

}  // namespace prequel
