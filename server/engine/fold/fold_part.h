// What every part of a fold says of itself, and what it is told.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/learner/learner.h"
#include "server/engine/fold/origin.h"

namespace prequel {

// A record that has just been folded in.
struct FoldedRecord {
  const Origin& origin;
  std::uint64_t offset = 0;               // of the record
  std::int64_t time_us = 0;               // microseconds since the Unix epoch, when it was logged
  std::int64_t revision = 0;              // of the state after it
  const absl::StatusOr<Learned>& answer;  // what `origin` was answered
};

// A part is a function of the log: what it holds depends on nothing but what Note was told. A
// capture takes a copy of each part on a turn of the model's actor, and the copy is encoded
// elsewhere, so a part is bounded and can be copied in milliseconds.
template <class P>
concept FoldPart = std::copyable<P> && std::default_initializable<P> &&
    requires(P& p, const P& c, const FoldedRecord& record, std::string_view bytes) {
  // The name of its section in captures, for ever.
  { P::kName } -> std::convertible_to<std::string_view>;
  // Note is called once for each record, in the order of the log.
  p.Note(record);
  // Encode gives the same bytes for the same part.
  { c.Encode() } -> std::same_as<std::string>;
  // Decode reads them: DATA_LOSS for damage, FAILED_PRECONDITION for another
  // version.
  { P::Decode(bytes) } -> std::same_as<absl::StatusOr<P>>;
};

}  // namespace prequel
