// How the engine reads the bytes that it stores, and writes those that nobody sent: the log holds
// the wire's own messages.
#pragma once

#include <string>
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
  // Exact: DecodeConfig gives `config` back. The same bytes for the same configuration.
  virtual std::string EncodeConfig(const LearnerConfig& config) const = 0;
  virtual absl::StatusOr<Batch> DecodeBatch(std::string_view bytes) const = 0;
};

}  // namespace prequel
