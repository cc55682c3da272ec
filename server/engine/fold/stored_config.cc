#include "server/engine/fold/stored_config.h"

#include <string>
#include <utility>

namespace prequel {

absl::StatusOr<ModelCost> EstimateConfig(std::string_view bytes, const Codec& codec) {
  const absl::StatusOr<LearnerConfig> config = codec.DecodeConfig(bytes);
  if (!config.ok()) return config.status();
  return ModelCost::Of(*config);
}

absl::StatusOr<std::shared_ptr<const Learner>> ReadConfig(std::string_view bytes,
                                                          const Codec& codec) {
  const absl::StatusOr<LearnerConfig> config = codec.DecodeConfig(bytes);
  if (!config.ok()) return config.status();
  absl::StatusOr<Learner> learner = Learner::Create(*config);
  if (!learner.ok()) return learner.status();
  return std::make_shared<const Learner>(*std::move(learner));
}

absl::StatusOr<std::string> WriteConfig(const Learner& learner, const Codec& codec) {
  std::string bytes = codec.EncodeConfig(learner.config());
  const auto read = ReadConfig(bytes, codec);
  if (read.ok() && (*read)->config() == learner.config()) return bytes;
  return absl::InternalError("the configuration does not survive being stored");
}

}  // namespace prequel
