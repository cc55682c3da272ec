// The answer to a record that was learned.
#pragma once

#include <cstdint>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "core/learner/learner.h"
#include "core/predictive/answer.h"

namespace prequel {

struct LearnOutcome {
  std::int64_t revision = 0;  // after this minibatch
  // The answer to a repeat counts refused rows and names no row; it does not count unseen
  // categories.
  Learned learned;
  Answer predictions;     // of revision - 1; empty unless asked for, in a repeat, and where Answer
                          // would have failed
  bool repeated = false;  // learned before: this is the answer of then
};

// Called exactly once per submitted record; see Engine::Submit for where and when.
using LearnCallback = absl::AnyInvocable<void(absl::StatusOr<LearnOutcome>)>;

}  // namespace prequel
