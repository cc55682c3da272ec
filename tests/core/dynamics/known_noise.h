// Linear models in worlds that move, with a noise that is known, so that dense algebra can follow.
#pragma once

#include <utility>

#include "tests/core/streams.h"

namespace prequel {

constexpr double kNoise = 0.25;

// Of two inputs.
inline LearnerConfig KnownNoiseConfig(ComponentConfig dynamics) {
  LearnerConfig config = PlainConfig(2, "gaussian");
  config.likelihood.options["noise"] = kNoise;
  config.posterior.name = "full";
  config.dynamics = std::move(dynamics);
  return config;
}

}  // namespace prequel
