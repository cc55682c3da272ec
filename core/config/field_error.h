// Statuses that say which field was wrong, so that the service can return a field violation.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace prequel {

// INVALID_ARGUMENT for `field` (a path such as "config.rule.options.passes" or
// "batch.inputs[3,1]"): `description` says what is wrong and what would be right.
absl::Status FieldError(std::string_view field, std::string_view description);

// FieldError under another code than INVALID_ARGUMENT (for example RESOURCE_EXHAUSTED for a size
// limit).
absl::Status FieldError(absl::StatusCode code, std::string_view field,
                        std::string_view description);

// The field that `status` complains about, when it names one.
std::optional<std::string> FieldOf(const absl::Status& status);

// `text` in double quotes for an error message: escaped, cut after 40 bytes at most and between
// UTF-8 characters.
std::string Quoted(std::string_view text);

}  // namespace prequel
