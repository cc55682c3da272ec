#include "core/learner/codec/without_references.h"

#include <utility>

#include "core/learner/belief.h"

namespace prequel {

LearnerState WithoutReferences(LearnerState state) {
  Evaluation& evaluation = state.evaluation;
  evaluation.last = evaluation.average = evaluation.still =
      Comparison(evaluation.cumulative.kind());
  ReferenceState& references = state.references;
  references.seen = references.judged = references.kept = 0;
  references.last.resize(0);
  for (Vector* sums :
       {&references.counts, &references.errors, &references.mean, &references.squares}) {
    sums->setZero();
  }
  ChangeState& change = state.change;
  for (BlockWatchState* watch : {&change.watch, &change.errors}) {
    watch->seen = watch->rows = watch->blocks = 0;
    for (Vector* sums : {&watch->sums, &watch->squares, &watch->mean, &watch->variance}) {
      sums->setZero();
    }
  }
  change.inputs = change.unusual = change.noise = change.weights = {};
  state.restarts.rows = 0;
  return state;
}

bool LacksReferences(const LearnerState& state) {
  const auto examples = static_cast<double>(state.examples);
  return state.references.seen < examples || state.change.watch.seen < examples;
}

}  // namespace prequel
