// What is asked of a model to be made, beside what is asked of every model: those that there are
// may be otherwise.
#pragma once

#include "absl/status/status.h"
#include "core/learner/problem.h"

namespace prequel {

// INVALID_ARGUMENT names the field.
absl::Status CheckNew(const Problem& problem);

}  // namespace prequel
