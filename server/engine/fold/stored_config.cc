#include "server/engine/fold/stored_config.h"

#include <string>
#include <utility>

#include "core/encoding/running_moments.h"
#include "server/storage/catalogue.h"

namespace prequel {
namespace {

// What a configuration of any version does not name it was made before: then nothing moved, nothing
// was calibrated, and running moments remembered all rows.
LearnerConfig WithoutLaterParts(LearnerConfig config) {
  if (config.dynamics.name.empty()) config.dynamics.name = "static";
  if (config.calibration.name.empty()) config.calibration.name = "none";
  if (config.standardize_window == 0) config.standardize_window = RunningMoments::kAllRows;
  return config;
}

// Version 1 holds what was given. What was left out has the defaults of then: whoever changes a
// default spells the old one out here, where it is missing.
LearnerConfig WithDefaultsOfVersion1(LearnerConfig config) {
  if (config.prior.name.empty() || config.prior.name == "isotropic") {
    config.prior.options.try_emplace("layer_scale", std::string("none"));
  }
  if (config.likelihood.name == "negative_binomial") {
    config.likelihood.options.try_emplace("dispersion", 1.0);
  }
  // Where neither is named they are chosen by their cost now.
  if (config.rule.name.empty()) config.rule.name = "rvga";
  return config;
}

absl::StatusOr<LearnerConfig> Decode(std::string_view bytes, int version, const Codec& codec) {
  absl::StatusOr<LearnerConfig> config = codec.DecodeConfig(bytes);
  if (!config.ok()) return config.status();
  if (version == 1) config = WithDefaultsOfVersion1(*std::move(config));
  return WithoutLaterParts(*std::move(config));
}

}  // namespace

absl::StatusOr<ModelCost> EstimateConfig(std::string_view bytes, int version, const Codec& codec) {
  const absl::StatusOr<LearnerConfig> config = Decode(bytes, version, codec);
  if (!config.ok()) return config.status();
  return ModelCost::Of(*config);
}

absl::StatusOr<std::shared_ptr<const Learner>> ReadConfig(std::string_view bytes, int version,
                                                          const Codec& codec) {
  const absl::StatusOr<LearnerConfig> config = Decode(bytes, version, codec);
  if (!config.ok()) return config.status();
  absl::StatusOr<Learner> learner = Learner::Create(*config);
  if (!learner.ok()) return learner.status();
  return std::make_shared<const Learner>(*std::move(learner));
}

absl::StatusOr<std::string> WriteConfig(const Learner& learner, const Codec& codec) {
  std::string bytes = codec.EncodeConfig(learner.config());
  const auto read = ReadConfig(bytes, kModelVersion, codec);
  if (read.ok() && (*read)->config() == learner.config()) return bytes;
  return absl::InternalError("the configuration does not survive being stored");
}

}  // namespace prequel
