// The predictive of a minibatch of classes, and what the weights' uncertainty adds to it.
#pragma once

#include "core/linalg/types.h"

namespace prequel {

// ClassPredictive holds expectations over f ~ LogitMoments of example i, where p(f) are the class
// probabilities at logits f.
struct ClassPredictive {
  Matrix probabilities;      // classes × B: E[p(f)]; columns sum to 1
  Matrix log_probabilities;  // classes × B: log E[p(f)], finite where a probability underflows
  Vector expected_entropy;   // B: E[H(p(f))], nats; only meaningful when wanted

  bool wants_entropy = true;  // scores do not

  Matrix draws, block;  // scratch of the likelihood
};

}  // namespace prequel
