// Prequential evaluation: scores of predictions made before learning.
#pragma once

#include <cstdint>

#include "core/scores/tally.h"

namespace prequel {

// Comparison has the scores of another predictor on the same rows; empty where there is none.
struct Comparison {
  Tally cumulative, window;

  Comparison() = default;
  explicit Comparison(TargetKind kind) : cumulative(kind), window(kind) {}

  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("cumulative", s.cumulative);
    a.Value("window", s.window);
  }
};

// Judgement is what one minibatch adds to an evaluation: sums over the same rows.
struct Judgement {
  Tally served;  // as a query would have been answered
  Tally raw;     // before calibration, of the scores that it changes; empty where there is none
  Tally last, average;  // of predictors that know no inputs (core/skill/references.h)
  Tally still;          // of the belief that stands still, alone; empty where it is no other

  explicit Judgement(TargetKind kind)
      : served(kind), raw(kind), last(kind), average(kind), still(kind) {}
};

// Evaluation is part of the state. `window` is exponentially weighted: each new example decays the
// older ones by 1 − 1/length.
struct Evaluation {
  Tally cumulative, window;
  std::int64_t skipped_rows = 0;         // target missing
  std::int64_t unscored_rows = 0;        // learned before any predictive existed, or again
  std::int64_t unseen_categories = 0;    // values that were new to the model, or had no slot
  Comparison raw, last, average, still;  // as in Judgement

  Evaluation() = default;
  explicit Evaluation(TargetKind kind)
      : cumulative(kind), window(kind), raw(kind), last(kind), average(kind), still(kind) {}

  // Absorb leaves out a comparison whose scores in the minibatch are NaN. REQUIRES: all is of the
  // same kind.
  void Absorb(const Judgement& minibatch, double window_length);

  // HasSkill: whether predictions of late, by their log density in the window, were no worse than
  // the last target repeated; true while there are few.
  bool HasSkill() const;

  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("cumulative", s.cumulative);
    a.Value("window", s.window);
    a.Value("skipped_rows", s.skipped_rows);
    a.Value("unscored_rows", s.unscored_rows);
    a.Value("unseen_categories", s.unseen_categories);
    a.Value("raw", s.raw);
    a.Value("last", s.last);
    a.Value("average", s.average);
    a.Value("still", s.still);
  }
};

}  // namespace prequel
