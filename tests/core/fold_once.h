// One minibatch, learned.
#pragma once

#include <gtest/gtest.h>

#include "absl/status/statusor.h"
#include "core/learner/learner.h"

namespace prequel {

inline LearnerState FoldOnce(const Learner& learner, const LearnerState& state,
                             const Batch& batch) {
  LearnerState next;
  Scratch scratch;
  const absl::StatusOr<Learned> learned = learner.Update(state, batch, scratch, next);
  EXPECT_TRUE(learned.ok()) << learned.status();
  return next;
}

}  // namespace prequel
