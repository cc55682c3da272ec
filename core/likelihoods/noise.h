// How sure a likelihood is of the noise of its targets.
#pragma once

#include "core/linalg/types.h"

namespace prequel {

// What a likelihood says of the noise of its outputs; most have none to speak of.
struct NoiseModel {
  enum class Kind { kNone, kGiven, kLearned };

  Kind kind = Kind::kNone;
  double variance = 0;         // kGiven: R, in squared units of the targets
  double shape = 0, rate = 0;  // kLearned: the inverse-gamma prior of R, in the units learned in

  bool learned() const { return kind == Kind::kLearned; }
};

// The noise as expectations and predictives take it, in the units that the model learns in. Empty
// of a likelihood without.
struct NoiseLevel {
  Vector variance;  // C: scale² of the predictive noise (rate/shape when learned)
  Vector dof;       // C: degrees of freedom of the Student-t predictive; +inf when known
};

}  // namespace prequel
