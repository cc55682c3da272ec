// What dynamics say of themselves unless they say otherwise.
#pragma once

#include "core/linalg/types.h"
#include "core/models/layer.h"

namespace prequel {

// What passes between the revision of a belief and the minibatch that it is asked about.
struct Passage {
  double rows = 0;                // examples of that minibatch
  const Vector& prior_variances;  // p₀: D, of the configured prior
  const Layers& layers;           // where each weight lies
};

// Scratch of any dynamics.
struct DynamicsScratch {
  Vector keep, added;  // D
  Matrix matrix;
};

// Remembers nothing besides the belief.
struct NoDynamicsState {
  template <class A, class Self>
  static void Fields(A&, Self&) {}
  static bool IsSound() { return true; }
};

}  // namespace prequel
