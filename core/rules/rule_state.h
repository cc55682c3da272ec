// What a rule remembers between minibatches besides the posterior.
#pragma once

#include <cstdint>

#include "core/linalg/types.h"

namespace prequel {

// Nothing. A state that is something is plain data with the same two members, and with a field
// `steps`, the steps taken: while it is 0 nothing else in the state has a meaning or a size.
struct NoState {
  template <class A, class Self>
  static void Fields(A&, Self&) {}
  // Whether a decoded value is one that an update of D = params weights could have left.
  bool IsSound(Index /*params*/) const { return true; }
};

// The steps taken and nothing else.
struct StepCount {
  std::int64_t steps = 0;
  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("steps", s.steps);
  }
  bool IsSound(Index /*params*/) const { return steps >= 0; }
};

}  // namespace prequel
