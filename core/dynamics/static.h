// A world that does not move: the prior of a minibatch is the posterior of the one before.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/dynamics/dynamics_defaults.h"

namespace prequel {

struct Static : DynamicsDefaults {
  static constexpr std::string_view kName = "static";
  static constexpr bool kMoves = false;

  using State = NoDynamicsState;

  static absl::Status Configure(Options& options, const MovingModel& /*model*/) {
    options.Describe("a world that does not move");
    return options.Finish();
  }
};

}  // namespace prequel
