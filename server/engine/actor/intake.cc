#include "server/engine/actor/intake.h"

namespace prequel {

absl::Status TakeIn(Delivery& delivery, const Learner& learner, const ModelCost& cost,
                    const EngineOptions& limits) {
  if (absl::Status status = CheckOrigin(delivery.origin); !status.ok()) return status;
  absl::Status bad = Check(delivery.record, learner, cost, limits);
  if (delivery.origin.numbered() && absl::IsInvalidArgument(bad)) {
    delivery.record = Refusal{bad};
    return absl::OkStatus();
  }
  return bad;
}

}  // namespace prequel
