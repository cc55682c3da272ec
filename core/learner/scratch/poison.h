// Scratch that is spoiled between uses, so that a result which depends on it is seen to be wrong.
#pragma once

#include "core/learner/scratch/workspace.h"

namespace prequel {

// Poison spoils what one use of scratch has left for the next, since no result may depend on it:
// numbers become NaN, flags claim what is not so, and where `user` is another problem than the last
// one, sizes fit nothing. Learner does so before each use, in builds with assertions.
void Poison(const void* user, Workspace& w);

}  // namespace prequel
