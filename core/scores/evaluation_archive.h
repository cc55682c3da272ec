// The binary form of the evaluation, part of the learner's state.
#pragma once

#include "core/archive/archive.h"
#include "core/scores/evaluation.h"

namespace prequel {

template <class A>
void Archive(A& a, Field<A, Tally>& s) {
  a.Value("weight", s.weight);
  a.Value("nll", s.nll);
  a.Value("squared_error", s.squared_error);
  a.Value("absolute_error", s.absolute_error);
  a.Value("crps", s.crps);
  a.Value("inside50", s.inside50);
  a.Value("inside90", s.inside90);
  a.Value("inside95", s.inside95);
  a.Value("correct", s.correct);
  a.Value("brier", s.brier);
  a.Value("bin_weight", s.bin_weight);
  a.Value("bin_confidence", s.bin_confidence);
  a.Value("bin_correct", s.bin_correct);
}

template <class A>
void Archive(A& a, Field<A, Evaluation>& s) {
  a.Value("cumulative", s.cumulative);
  a.Value("window", s.window);
  a.Value("skipped_rows", s.skipped_rows);
  a.Value("unscored_rows", s.unscored_rows);
}

}  // namespace prequel
