// A numbered minibatch that could not be learned from: it uses up its number all the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "server/engine/records/record_type.h"

namespace prequel {

struct Refusal {
  static constexpr std::uint8_t kType = 2;
  static constexpr char kName[] = "refusal";

  absl::Status status;  // why; not OK

  static absl::StatusOr<Refusal> Decode(std::string_view payload, const Codec& codec,
                                        const Learner& learner);
  // Why it was refused.
  absl::Status Check(const Learner& /*learner*/, const ModelCost& /*cost*/,
                     const EngineOptions& /*limits*/) const {
    return status;
  }
  std::string Encode(const Learner& learner);
  std::size_t memory() const { return 0; }
  Index rows() const { return 0; }

  // Fold has the ledger alone take note of the refusal. Answers `status`.
  absl::StatusOr<Learned> Fold(ModelFold& fold, const Origin& origin, const Folding& folding);
  void Tell(const EngineObservers& observers, std::string_view model,
            EngineObserver::Duration duration, const absl::Status& answer) const;
  static RecordDetails Describe(std::string_view payload);
};

static_assert(RecordType<Refusal>);

}  // namespace prequel
