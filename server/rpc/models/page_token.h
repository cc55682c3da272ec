// Where the next page of a list starts, opaque to clients.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace prequel {

std::string PageTokenAfter(std::string_view last_name);

// The name after which to go on; empty for an empty token. INVALID_ARGUMENT names "page_token".
absl::StatusOr<std::string> NameBeforePage(std::string_view token);

}  // namespace prequel
