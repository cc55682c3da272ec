// A model's configuration as a difference to another one.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "prequel/v1/config.pb.h"

namespace prequel::cli {

// ReplacedConfig is `base` with what the JSON object `json` names in place of its own: a part with
// all of its options. A part that is `{}` there is the server's default. INVALID_ARGUMENT when
// `json` is no ModelConfig.
absl::StatusOr<v1::ModelConfig> ReplacedConfig(const v1::ModelConfig& base,
                                               const std::string& json);

// The fields of ModelConfig, sorted, in which `config` is not what `wanted` asks for. What `wanted`
// leaves open is not among them, nor are options that it does not name.
std::vector<std::string> DifferingFields(const v1::ModelConfig& config,
                                         const v1::ModelConfig& wanted);

}  // namespace prequel::cli
