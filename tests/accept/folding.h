// One pass over a stream, or several over its rows: predict, then learn.
#pragma once

#include <cstdint>

#include "core/learner/learner.h"

namespace prequel::accept {

// A learner and where it stands. Aborts on an error that is not a divergence: what is learned here
// is sound.
class Folding {
 public:
  explicit Folding(const LearnerConfig& config);

  // Aborts on a divergence too.
  Learned Learn(const Batch& batch);
  // Minibatches of `size` rows in order; the last may be smaller.
  void LearnAll(const Batch& rows, Index size);
  // The same in `passes` random orders. A minibatch on which the update diverges is passed over, as
  // by somebody who learns from the service.
  void LearnInPasses(const Batch& rows, Index size, int passes, std::uint64_t seed);

  Answer Predict(const Batch& batch, const PredictOptions& options = {});
  // What was predicted of the rows learned last, as they were scored. Good until the next call.
  Predictive& predicted();
  // What the predictions of `rows` score; none of them is learned. Infinitely bad, should one of
  // the minibatches be such that it could not have been.
  Tally Score(const Batch& rows, Index size);

  const Learner& learner() const { return learner_; }
  const LearnerState& state() const { return state_; }
  Scores scores() const { return state_.evaluation.cumulative.Average(); }

 private:
  Learner learner_;
  LearnerState state_, next_;
  Scratch scratch_;
};

}  // namespace prequel::accept
