// A return to an earlier state, as a new revision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/learner/learner_state.h"
#include "server/engine/records/record_type.h"

namespace prequel {

struct Rollback {
  static constexpr std::uint8_t kType = 3;
  static constexpr char kName[] = "rollback";

  // The state that is returned to, with its revision. The log holds it, so that replay needs
  // nothing of what was before.
  LearnerState state;

  static absl::StatusOr<Rollback> Decode(std::string_view payload, const Codec& codec,
                                         const Learner& learner);
  absl::Status Check(const Learner& /*learner*/, const ModelCost& /*cost*/,
                     const EngineOptions& /*limits*/) const {
    return absl::OkStatus();
  }
  std::string Encode(const Learner& learner);
  std::size_t memory() const { return 0; }  // about as much again as its payload, which counts
  Index rows() const { return 0; }

  // Fold gives `state` up. The ledger stays: what was counted is not to be counted again.
  absl::StatusOr<Learned> Fold(ModelFold& fold, const Origin& origin, const Folding& folding);
  void Tell(const EngineObservers& /*observers*/, std::string_view /*model*/,
            EngineObserver::Duration /*duration*/, const absl::Status& /*status*/) const {}
  static RecordDetails Describe(std::string_view /*payload*/) { return {}; }
};

static_assert(RecordType<Rollback>);

}  // namespace prequel
