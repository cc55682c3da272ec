// A minibatch that says how often its rows count, and maybe when they happened: of a kind of its
// own, so that a build that knows of no weights stops at it instead of folding it without them.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "server/engine/records/minibatch.h"

namespace prequel {

struct WeighedMinibatch : Minibatch {
  static constexpr std::uint8_t kType = 5;
  static constexpr char kName[] = "weighed minibatch";

  static absl::StatusOr<WeighedMinibatch> Decode(std::string_view payload, const Codec& codec,
                                                 const Learner& learner) {
    absl::StatusOr<Minibatch> minibatch = Minibatch::Decode(payload, codec, learner);
    if (!minibatch.ok()) return minibatch.status();
    return WeighedMinibatch{*std::move(minibatch)};
  }
};

static_assert(RecordType<WeighedMinibatch>);

}  // namespace prequel
