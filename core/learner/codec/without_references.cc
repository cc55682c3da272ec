#include "core/learner/codec/without_references.h"

#include <utility>

#include "core/learner/belief.h"

namespace prequel {

LearnerState WithoutReferences(LearnerState state) {
  Evaluation& evaluation = state.evaluation;
  evaluation.last = evaluation.average = Comparison(evaluation.cumulative.kind());
  ReferenceState& references = state.references;
  references.seen = references.judged = references.kept = 0;
  references.last.resize(0);
  for (Vector* sums :
       {&references.counts, &references.errors, &references.mean, &references.squares}) {
    sums->setZero();
  }
  return state;
}

bool LacksReferences(const LearnerState& state) {
  return state.references.seen < static_cast<double>(state.examples);
}

}  // namespace prequel
