// What Adam, and what steps like it, remember of their gradients.
#pragma once

#include <cstdint>

#include "core/linalg/types.h"

namespace prequel {

// With `kPerWeight` quantities learned for every weight, one after the other in each vector.
template <Index kPerWeight>
struct AdamState {
  std::int64_t steps = 0;  // t
  Vector momentum;         // b: kPerWeight · D
  Vector squares;          // s: kPerWeight · D, not negative

  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("steps", s.steps);
    a.Value("momentum", s.momentum);
    a.Value("squares", s.squares);
  }

  bool IsSound(Index params) const {
    const Index size = steps > 0 ? kPerWeight * params : 0;
    return steps >= 0 && momentum.size() == size && squares.size() == size &&
           momentum.allFinite() && squares.allFinite() && (size == 0 || squares.minCoeff() >= 0);
  }
};

}  // namespace prequel
