// A model's configuration as a difference to another one.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "prequel/v1/config.pb.h"

namespace prequel::cli {

// `base` with what the JSON object `json` names in place of its own: a part with all of its
// options. A part that is `{}` there is the server's default. INVALID_ARGUMENT when `json` is no
// ModelConfig.
absl::StatusOr<v1::ModelConfig> ReplacedConfig(const v1::ModelConfig& base,
                                               const std::string& json);

}  // namespace prequel::cli
