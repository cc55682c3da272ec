// What may be learned: turns a request into the record that is to be logged.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/learner/cost.h"
#include "core/learner/learner.h"
#include "server/engine/learn.h"
#include "server/engine/options.h"
#include "server/engine/records/record.h"

namespace prequel {

// INVALID_ARGUMENT for more rows than one minibatch may have.
absl::Status CheckRows(const Batch& batch, const EngineOptions& limits);

// Takes the batch and its bytes out of `request`: a minibatch; or, when it is bad and numbered, the
// refusal that uses up its number. The error is for whoever asked: nothing is to be logged.
absl::StatusOr<Record> TakeIn(LearnRequest& request, const Learner& learner, const ModelCost& cost,
                              const EngineOptions& limits);

}  // namespace prequel
