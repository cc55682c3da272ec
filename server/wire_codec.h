// The bytes in the log are the wire's own messages.
#pragma once

#include "server/engine/codec.h"
#include "server/wire/batch_message.h"
#include "server/wire/config.h"

namespace prequel {

class WireCodec final : public Codec {
 public:
  absl::StatusOr<LearnerConfig> DecodeConfig(std::string_view bytes) const override {
    return wire::ConfigFromBytes(bytes);
  }
  std::string EncodeConfig(const LearnerConfig& config) const override {
    return wire::ConfigToBytes(config);
  }
  absl::StatusOr<Batch> DecodeBatch(std::string_view bytes) const override {
    return wire::BatchFromBytes(bytes);
  }
};

}  // namespace prequel
