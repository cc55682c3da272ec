// What may be learned.
#pragma once

#include "absl/status/status.h"
#include "core/learner/cost.h"
#include "core/learner/learner.h"
#include "server/engine/commit/delivery.h"
#include "server/engine/options.h"

namespace prequel {

// Whether the delivery may be logged for this learner's model. Not OK is for whoever sent it. A
// numbered record that may not be logged for what it holds becomes the refusal that uses up its
// number, which may: so those behind it can be learned.
absl::Status TakeIn(Delivery& delivery, const Learner& learner, const ModelCost& cost,
                    const EngineOptions& limits);

}  // namespace prequel
