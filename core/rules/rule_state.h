// What a rule remembers between minibatches besides the posterior.
#pragma once

#include <cstdint>

#include "core/linalg/types.h"

namespace prequel {

// A state is plain data with Fields, IsSound and, when it is something, a field `steps`, the steps
// taken: while it is 0 nothing else in the state has a meaning or a size.
struct StateDefaults {
  // Suits: whether a sound state is this posterior's, of a rule whose state differs between
  // families.
  template <class Q>
  static bool Suits(const Q& /*q*/) {
    return true;
  }
  // Numbers is how many numbers a state comes to hold of D = `params` weights, of which the
  // posterior holds `spread` numbers beside the mean.
  static double Numbers(double /*params*/, double /*spread*/) { return 0; }
};

// IsCount: whether a decoded count is one, and far from where counting on would overflow.
inline bool IsCount(std::int64_t count) { return count >= 0 && count <= std::int64_t{1} << 62; }

// NoState holds nothing.
struct NoState : StateDefaults {
  template <class A, class Self>
  static void Fields(A&, Self&) {}
  // IsSound: whether a decoded value is one that an update of D = params weights could have left.
  static bool IsSound(Index /*params*/) { return true; }
};

// StepCount holds the steps taken and nothing else.
struct StepCount : StateDefaults {
  std::int64_t steps = 0;
  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("steps", s.steps);
  }
  bool IsSound(Index /*params*/) const { return IsCount(steps); }
};

}  // namespace prequel
