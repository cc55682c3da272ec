// A minibatch to be learned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "server/engine/records/record_type.h"

namespace prequel {

struct Minibatch {
  static constexpr std::uint8_t kType = 1;
  static constexpr char kName[] = "minibatch";

  Batch batch;          // Learner::CheckBatch is OK
  std::string payload;  // Codec::DecodeBatch gives `batch`; empty once it was decoded

  static absl::StatusOr<Minibatch> Decode(std::string_view payload, const Codec& codec,
                                          const Learner& learner);
  // INVALID_ARGUMENT names what does not fit: its rows, its bytes, its values, or the time to learn
  // it.
  absl::Status Check(const Learner& learner, const ModelCost& cost,
                     const EngineOptions& limits) const;
  std::string Encode(const Learner& learner);
  std::size_t memory() const;
  Index rows() const { return batch.rows(); }

  // An update that fails leaves the state as it was, and is answered with its error.
  absl::StatusOr<Learned> Fold(ModelFold& fold, const Origin& origin, const Folding& folding);
  void Tell(const EngineObservers& observers, std::string_view model,
            EngineObserver::Duration duration, const absl::Status& status) const;
  static RecordDetails Describe(std::string_view /*payload*/) { return {}; }
};

static_assert(RecordType<Minibatch>);

// INVALID_ARGUMENT for more rows than one minibatch, or one question, may have.
absl::Status CheckRows(const Batch& batch, const EngineOptions& limits);

}  // namespace prequel
