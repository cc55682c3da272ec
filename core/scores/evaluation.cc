#include "core/scores/evaluation.h"

#include <algorithm>
#include <cmath>

namespace prequel {

// With d = 1 − 1/length and n new examples, all taken as equally old on average:
//   window ← dⁿ window + (Σ_{j<n} dʲ / n) minibatch,   Σ_{j<n} dʲ = length (1 − dⁿ)
// so the weight is the same however the examples are split, and never above length.
void Evaluation::Absorb(const Tally& minibatch, double window_length) {
  const double n = minibatch.weight();
  if (!(n > 0)) return;
  cumulative.Add(minibatch);
  const double log_decay = window_length > 1 ? n * std::log1p(-1 / window_length) : -HUGE_VAL;
  Tally recent = minibatch;
  recent.Scale(-std::max(window_length, 1.0) * std::expm1(log_decay) / n);
  window.Scale(std::exp(log_decay));
  window.Add(recent);
}

}  // namespace prequel
