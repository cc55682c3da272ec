// Errors as bytes, for answers that outlive the process: server/formats.md defines them.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace prequel {

// Exact for a code, a message and the field of core/config/field_error.h; other payloads are
// dropped.
std::string EncodeStatus(const absl::Status& status);

// Writes the status that `bytes` hold to `status`. DATA_LOSS when they hold none.
absl::Status DecodeStatus(std::string_view bytes, absl::Status* status);

}  // namespace prequel
