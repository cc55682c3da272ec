// One pass over a stream: predict, then learn.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "core/learner.h"

namespace prequel::accept {

// A learner and where it stands. Aborts on an error: acceptance streams are sound.
class Folding {
 public:
  explicit Folding(const LearnerConfig& config)
      : learner_(OrDie(Learner::Create(config))), state_(learner_.Initial()) {}

  Learned Learn(const Batch& batch) {
    if (absl::Status status = learner_.CheckBatch(batch); !status.ok()) Die(status);
    Learned learned = OrDie(learner_.Update(state_, batch, scratch_, next_));
    std::swap(state_, next_);
    return learned;
  }

  // Minibatches of `size` rows in order; the last may be smaller.
  template <class SliceFunction>
  void LearnAll(const Batch& rows, Index size, const SliceFunction& slice) {
    for (Index first = 0; first < rows.rows(); first += size) {
      Learn(slice(rows, first, std::min(size, rows.rows() - first)));
    }
  }

  Predictions Predict(const Batch& batch, const PredictOptions& options = {}) {
    return OrDie(learner_.Predict(state_, batch, options, scratch_));
  }

  const Learner& learner() const { return learner_; }
  const LearnerState& state() const { return state_; }
  Scores scores() const {
    return state_.evaluation.cumulative.Average(!learner_.Labels(state_).empty());
  }

 private:
  static void Die(const absl::Status& status) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    std::exit(2);
  }
  template <class T>
  static T OrDie(absl::StatusOr<T> value) {
    if (!value.ok()) Die(value.status());
    return *std::move(value);
  }

  Learner learner_;
  LearnerState state_, next_;
  Scratch scratch_;
};

}  // namespace prequel::accept
