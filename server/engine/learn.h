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
  // In a repeat, refused rows are counted and none is named; unseen categories are not counted.
  Learned learned;
  Answer predictions;     // of revision - 1; empty unless asked for, in a repeat, and where Answer
                          // would have failed
  bool repeated = false;  // learned before: this is the answer of then
};

// Called exactly once per submitted record; see Engine::Submit for where and when.
using LearnCallback = absl::AnyInvocable<void(absl::StatusOr<LearnOutcome>)>;

}  // namespace prequel
