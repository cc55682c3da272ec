// Resource names: models/{model}.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace prequel {

// "moons" of "models/moons". INVALID_ARGUMENT names the field "name".
absl::StatusOr<std::string> ModelIdOf(std::string_view name);

// "models/moons" of "moons".
std::string ModelNameOf(std::string_view id);

}  // namespace prequel
