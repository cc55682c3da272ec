// How the engine reads the bytes that it stores: the log holds the wire's own messages.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "core/config/batch.h"
#include "core/config/learner_config.h"

namespace prequel {

// Thread-safe and pure: a restart must decode exactly what was submitted, bit for bit.
class Codec {
 public:
  virtual ~Codec() = default;
  virtual absl::StatusOr<LearnerConfig> DecodeConfig(std::string_view bytes) const = 0;
  virtual absl::StatusOr<Batch> DecodeBatch(std::string_view bytes) const = 0;
};

}  // namespace prequel
