// A model, likelihood or posterior made of its options alone.
#pragma once

#include <gtest/gtest.h>

#include "core/config/learner_config.h"
#include "core/config/options.h"

namespace prequel {

template <class Part, class... Args>
Part Configured(const ComponentConfig& config, const Args&... args) {
  Part part;
  Options options("part", config);
  EXPECT_TRUE(part.Configure(options, args...).ok());
  return part;
}

}  // namespace prequel
