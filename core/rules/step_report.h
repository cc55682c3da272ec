// What an update did.
#pragma once

#include <string>

#include "core/linalg/types.h"

namespace prequel {

struct StepReport {
  Index rows = 0;          // learned from
  Index skipped_rows = 0;  // target missing
  int passes = 0;          // inner fixed-point passes
  bool converged = true;
  double residual = 0;    // last gain of the local ELBO, nats per example
  double local_elbo = 0;  // nats, of the minibatch
  double kl = 0;          // KL(new posterior ‖ previous posterior), nats
  std::string phase;      // of a rule that has phases: what the next minibatch serves
};

}  // namespace prequel
