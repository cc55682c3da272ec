#include "server/engine/records/refusal.h"

#include "server/engine/fold/status_codec.h"

namespace prequel {

absl::StatusOr<Refusal> Refusal::Decode(std::string_view payload, const Codec& /*codec*/,
                                        const Learner& /*learner*/) {
  Refusal refusal;
  absl::Status status = DecodeStatus(payload, &refusal.status);
  if (!status.ok()) return status;
  return refusal;
}

std::string Refusal::Encode(const Learner& /*learner*/) { return EncodeStatus(status); }

absl::StatusOr<Learned> Refusal::Fold(ModelFold& fold, const Origin& origin,
                                      const Folding& folding) {
  fold.Advance(origin, folding.time_us, status, nullptr);
  return status;
}

void Refusal::Tell(const EngineObservers& observers, std::string_view model,
                   EngineObserver::Duration /*duration*/, const absl::Status& answer) const {
  observers.Tell(&EngineObserver::OnRefused, model, answer);
}

RecordDetails Refusal::Describe(std::string_view payload) {
  absl::Status status;
  (void)DecodeStatus(payload, &status);
  return {{"code", absl::StatusCodeToString(status.code())},
          {"message", std::string(status.message())}};
}

}  // namespace prequel
