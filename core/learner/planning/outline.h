// A problem as far as it takes no memory.
#pragma once

#include "absl/status/statusor.h"
#include "core/learner/planning/default_fit.h"
#include "core/learner/problem.h"

namespace prequel {

// Outline makes what Problem::Make does, except that the posterior has its size alone, and there is
// no prior. For estimates of what making it would take. (Beside Problem::Make, in
// core/learner/problem.cc.)
absl::StatusOr<Problem> Outline(const LearnerConfig& config);

// ShapeOf returns what a choice of posterior and rule by cost goes by. REQUIRES: the model and the
// likelihood are made.
FitShape ShapeOf(const Problem& problem);

}  // namespace prequel
