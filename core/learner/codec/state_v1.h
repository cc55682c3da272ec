// Version 1 of a state's bytes, which is read for ever.
#pragma once

#include "core/archive/archive.h"
#include "core/learner/learner_state.h"
#include "core/learner/problem.h"

namespace prequel {

// The body behind the fingerprint: revision, examples, inputs, targets, noise, evaluation, then
// posterior and rule, each its name and its fields, or both packed. One belief; scores in a fixed
// order. `a` keeps the first trouble.
void ReadStateV1(const Problem& problem, ArchiveReader& a, LearnerState& state);

}  // namespace prequel
