// Model configurations from and to the wire.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/config/learner_config.h"
#include "prequel/v1/config.pb.h"

namespace prequel::wire {

// Zero and absent fields take their defaults. INVALID_ARGUMENT names what the wire can express and
// a configuration cannot ("config.rule.options.x"); the rest is Learner::Create's to refuse.
absl::StatusOr<LearnerConfig> ConfigFromProto(const v1::ModelConfig& proto);

// NewConfigFromProto gives the configuration of a model to be made: its features have names, and no
// name of a feature or the target is longer than kMaxTextBytes. Configurations of models that there
// are may be otherwise.
absl::StatusOr<LearnerConfig> NewConfigFromProto(const v1::ModelConfig& proto);

// ConfigToProto is exact: ConfigFromProto gives `config` back.
void ConfigToProto(const LearnerConfig& config, v1::ModelConfig* proto);

// ConfigFromBytes is DATA_LOSS when the bytes are no v1.ModelConfig.
absl::StatusOr<LearnerConfig> ConfigFromBytes(std::string_view bytes);
// ConfigToBytes gives the same bytes for the same configuration.
std::string ConfigToBytes(const LearnerConfig& config);

}  // namespace prequel::wire
