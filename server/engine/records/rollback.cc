#include "server/engine/records/rollback.h"

#include <memory>
#include <utility>

namespace prequel {

// The payload is the state's bytes, which say their revision themselves.
absl::StatusOr<Rollback> Rollback::Decode(std::string_view payload, const Codec& /*codec*/,
                                          const Learner& learner) {
  absl::StatusOr<LearnerState> state = learner.DecodeState(payload);
  if (!state.ok()) return state.status();
  return Rollback{.state = *std::move(state)};
}

std::string Rollback::Encode(const Learner& learner) { return learner.EncodeState(state); }

absl::StatusOr<Learned> Rollback::Fold(ModelFold& fold, const Origin& origin,
                                       const Folding& folding) {
  const Learned nothing;
  fold.Advance(origin, folding.time_us, nothing, std::make_shared<LearnerState>(std::move(state)));
  return nothing;
}

}  // namespace prequel
