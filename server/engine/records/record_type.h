// What every kind of record says of itself, and what it works with.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/learner/cost.h"
#include "core/learner/learner.h"
#include "core/predictive/answer.h"
#include "core/predictive/query_set.h"
#include "server/engine/codec.h"
#include "server/engine/engine_options.h"
#include "server/engine/fold/model_fold.h"
#include "server/engine/observer.h"

namespace prequel {

// What a record is folded with.
struct Folding {
  Scratch& scratch;
  std::int64_t time_us = 0;           // microseconds since the Unix epoch, when it was logged
  const QuerySet* queries = nullptr;  // not null: are answered from the state before learning,
  Answer* answer = nullptr;           // and here
};

// Names and values, for people.
using RecordDetails = std::vector<std::pair<std::string, std::string>>;

template <class R>
concept RecordType = requires(R& r, const R& c, std::string_view payload, const Codec& codec,
                              const Learner& learner, ModelFold& fold, const Origin& origin,
                              const Folding& folding, const ModelCost& cost,
                              const EngineOptions& limits, const EngineObservers& observers,
                              std::string_view model, EngineObserver::Duration duration,
                              const absl::Status& status) {
  // Its type in the log, for ever, and its name.
  { R::kType } -> std::convertible_to<std::uint8_t>;
  { R::kName } -> std::convertible_to<std::string_view>;

  // Decode makes a record from the payload of a log's record. An error says why it cannot be one of
  // this learner's model.
  { R::Decode(payload, codec, learner) } -> std::same_as<absl::StatusOr<R>>;
  // Check says whether the record may be logged for this learner's model, whose work is bounded by
  // `limits`.
  { c.Check(learner, cost, limits) } -> std::same_as<absl::Status>;
  // Encode gives the payload; to be called at most once, before Fold.
  { r.Encode(learner) } -> std::same_as<std::string>;
  // Bytes of memory that the record takes while it waits, beyond its payload, roughly.
  { c.memory() } -> std::same_as<std::size_t>;
  // Rows that the record has the model learn.
  { c.rows() } -> std::same_as<Index>;

  // Fold folds the record in, once: advances `fold` by one record. Returns what `origin` is
  // answered; an error is the same in every replay.
  { r.Fold(fold, origin, folding) } -> std::same_as<absl::StatusOr<Learned>>;
  // Tell tells of the fold that took `duration` and answered `status`.
  c.Tell(observers, model, duration, status);

  // Describe says what a payload holds, as far as that can be told without its model.
  { R::Describe(payload) } -> std::same_as<RecordDetails>;
};

}  // namespace prequel
