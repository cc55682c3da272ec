// A minibatch to be learned, and the answer to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "core/batch.h"
#include "core/learner.h"
#include "core/prediction.h"
#include "server/engine/clock.h"

namespace prequel {

struct LearnRequest {
  Batch batch;
  std::string record;  // what the log keeps; Codec::DecodeBatch(record) must equal `batch`
  TimePoint deadline = TimePoint::max();  // when passed before the batch is logged, it never is
  std::optional<PredictOptions> predict;  // also answer the predictive before learning
};

struct LearnOutcome {
  std::int64_t revision = 0;  // after this minibatch
  Learned learned;
  Predictions predictions;  // of revision - 1; empty unless asked for
};

// Called exactly once per submitted minibatch; see Engine::Submit for where and when.
using LearnCallback = absl::AnyInvocable<void(absl::StatusOr<LearnOutcome>)>;

}  // namespace prequel
