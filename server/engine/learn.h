// A minibatch to be learned, and the answer to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/config/batch.h"
#include "core/learner/learner.h"
#include "core/predictive/answer.h"
#include "core/predictive/query_set.h"
#include "server/engine/clock.h"
#include "server/engine/fold/origin.h"

namespace prequel {

struct LearnRequest {
  Origin origin;  // a minibatch that was logged before is answered as it was then
  Batch batch;
  std::string payload;  // what the log keeps; Codec::DecodeBatch(payload) must equal `batch`
  TimePoint deadline = TimePoint::max();  // when passed before the batch is logged, it never is
  std::optional<QuerySet> predict;        // also answer these before learning
  // Not OK: what was sent is no minibatch; `batch` and `payload` are empty. When numbered it uses
  // up its number all the same, durably, so that those behind it can be learned.
  absl::Status refusal;
};

struct LearnOutcome {
  std::int64_t revision = 0;  // after this minibatch
  // In a repeat, refused rows are counted and none is named; unseen categories are not counted.
  Learned learned;
  Answer predictions;     // of revision - 1; empty unless asked for, in a repeat, and where Predict
                          // would have failed
  bool repeated = false;  // learned before: this is the answer of then
};

// Called exactly once per submitted minibatch; see Engine::Submit for where and when.
using LearnCallback = absl::AnyInvocable<void(absl::StatusOr<LearnOutcome>)>;

}  // namespace prequel
