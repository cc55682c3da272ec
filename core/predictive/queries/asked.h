// What a query is asked of.
#pragma once

#include "core/linalg/types.h"

namespace prequel {

// Asked is the predictive of a model, as far as it is known before any example is.
struct Asked {
  bool classes = false;
  Index targets = 0;  // T of values, or the number of classes
  Index logits = 0;   // C

  bool operator==(const Asked&) const = default;
};

}  // namespace prequel
