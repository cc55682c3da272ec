#include "core/scores/evaluation.h"

#include <algorithm>
#include <cmath>

namespace prequel {
namespace {

// Add decays the window. With d = 1 − 1/length and n new examples, all taken as equally old on
// average:
//   window ← dⁿ window + (Σ_{j<n} dʲ / n) minibatch,   Σ_{j<n} dʲ = length (1 − dⁿ)
// so the weight is the same however the examples are split, and never above length.
void Add(const Tally& minibatch, double window_length, Tally& cumulative, Tally& window) {
  const double n = minibatch.weight();
  if (!(n > 0)) return;
  cumulative.Add(minibatch);
  const double log_decay = window_length > 1 ? n * std::log1p(-1 / window_length) : -HUGE_VAL;
  Tally recent = minibatch;
  recent.Scale(-std::max(window_length, 1.0) * std::expm1(log_decay) / n);
  window.Scale(std::exp(log_decay));
  window.Add(recent);
}

}  // namespace

void Evaluation::Absorb(const Judgement& minibatch, double window_length) {
  Add(minibatch.served, window_length, cumulative, window);
  const auto compare = [&](const Tally& tally, Comparison& with) {
    if (!tally.HasNaN()) Add(tally, window_length, with.cumulative, with.window);
  };
  compare(minibatch.raw, raw);
  compare(minibatch.last, last);
  compare(minibatch.average, average);
  compare(minibatch.still, still);
}

bool Evaluation::HasSkill() const {
  constexpr double kFewRows = 100;
  if (window.weight() < kFewRows || last.window.weight() < kFewRows) return true;
  return !(window.Average()["nll"] > last.window.Average()["nll"]);
}

}  // namespace prequel
