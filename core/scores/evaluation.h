// Prequential evaluation: scores of predictions made before learning.
#pragma once

#include <cstdint>

#include "core/scores/tally.h"

namespace prequel {

// Part of the state. `window` is exponentially weighted: each new example decays the older ones by
// 1 − 1/length.
struct Evaluation {
  Tally cumulative, window;
  std::int64_t skipped_rows = 0;   // target missing
  std::int64_t unscored_rows = 0;  // learned before any predictive existed

  Evaluation() = default;
  explicit Evaluation(TargetKind kind) : cumulative(kind), window(kind) {}

  // REQUIRES: `minibatch` is of the same kind.
  void Absorb(const Tally& minibatch, double window_length);

  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("cumulative", s.cumulative);
    a.Value("window", s.window);
    a.Value("skipped_rows", s.skipped_rows);
    a.Value("unscored_rows", s.unscored_rows);
  }
};

}  // namespace prequel
