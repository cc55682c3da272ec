// Whether the parts of a problem go together. INVALID_ARGUMENT names the field that does not.
#pragma once

#include "absl/status/status.h"
#include "core/learner/problem.h"

namespace prequel {

// CheckRule: whether the rule can update this posterior for this model and likelihood.
absl::Status CheckRule(const Problem& problem);
// CheckDynamics: whether what the dynamics do can be done to this posterior, in the rule's mode.
absl::Status CheckDynamics(const Problem& problem);
// CheckRobustness: whether the likelihood can weigh rows, in the rule's mode, where the robustness
// does.
absl::Status CheckRobustness(const Problem& problem);
// CheckBeliefs: whether what several beliefs hold together is within bounds.
absl::Status CheckBeliefs(const Problem& problem);

}  // namespace prequel
