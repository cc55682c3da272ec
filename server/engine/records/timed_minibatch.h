// A minibatch that says when its rows happened: of a kind of its own, so that a build that knows of
// no times stops at it instead of folding it without them.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "server/engine/records/minibatch.h"

namespace prequel {

struct TimedMinibatch : Minibatch {
  static constexpr std::uint8_t kType = 4;
  static constexpr char kName[] = "timed minibatch";

  static absl::StatusOr<TimedMinibatch> Decode(std::string_view payload, const Codec& codec,
                                               const Learner& learner) {
    absl::StatusOr<Minibatch> minibatch = Minibatch::Decode(payload, codec, learner);
    if (!minibatch.ok()) return minibatch.status();
    return TimedMinibatch{*std::move(minibatch)};
  }
};

static_assert(RecordType<TimedMinibatch>);

}  // namespace prequel
