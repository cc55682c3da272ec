// A small file, whole.
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"

namespace prequel {

// A larger one is no certificate and no policy.
inline constexpr std::size_t kMaxFileBytes = 1 << 20;

// UNAVAILABLE when it cannot be read, INVALID_ARGUMENT when it is too large; both name the path.
absl::StatusOr<std::string> ReadBoundedFile(const std::string& path);

}  // namespace prequel
