// A learner and where it stands on its way along a small stream. An error ends the program.
#pragma once

#include <utility>
#include <variant>
#include <vector>

#include "core/learner/learner.h"
#include "tests/accept/or_die.h"
#include "tests/core/belief_of.h"

namespace prequel::peers {

class Course {
 public:
  explicit Course(const LearnerConfig& config)
      : learner_(accept::OrDie(Learner::Create(config))), state_(learner_.Initial()) {}

  // The scores of the minibatch before it was learned.
  Scores Learn(const Batch& batch) {
    accept::OrDie(learner_.CheckBatch(batch));
    const Learned learned = accept::OrDie(learner_.Update(state_, batch, scratch_, next_));
    std::swap(state_, next_);
    return learned.scores;
  }

  Answer Ask(const Batch& batch, const std::vector<ComponentConfig>& queries) {
    const QuerySet asked = accept::OrDie(learner_.Ask({.queries = queries}));
    return accept::OrDie(learner_.Predict(state_, batch, asked, scratch_));
  }

  Index params() const { return learner_.num_parameters(); }
  const Belief& belief() const { return BeliefOf(state_); }
  // REQUIRES: its family is Q.
  template <class Q>
  const Q& posterior() const {
    return std::get<Q>(belief().posterior);
  }

 private:
  Learner learner_;
  LearnerState state_, next_;
  Scratch scratch_;
};

// Both triangles of a covariance of which the lower one counts.
inline Matrix Whole(const Matrix& covariance) { return covariance.selfadjointView<Eigen::Lower>(); }

// The rows [first, first + count) of `batch`.
inline Batch Rows(const Batch& batch, Index first, Index count) {
  Batch rows;
  rows.inputs = batch.inputs.middleCols(first, count);
  rows.targets = batch.targets.middleCols(first, count);
  return rows;
}

}  // namespace prequel::peers
