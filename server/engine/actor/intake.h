// What may be learned.
#pragma once

#include "absl/status/status.h"
#include "core/learner/cost.h"
#include "core/learner/learner.h"
#include "server/engine/commit/delivery.h"
#include "server/engine/engine_options.h"

namespace prequel {

// TakeIn says whether the delivery may be logged for this learner's model; an error is for its
// sender. When what a numbered delivery holds may not be logged, its record becomes the refusal
// that uses up its number, and TakeIn is OK: so the minibatches behind it can be learned.
absl::Status TakeIn(Delivery& delivery, const Learner& learner, const ModelCost& cost,
                    const EngineOptions& limits);

}  // namespace prequel
