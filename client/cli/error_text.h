// Errors as a person reads them.
#pragma once

#include <string>

#include "absl/status/status.h"

namespace prequel::cli {

// "prequel: WHAT IS WRONG; WHAT TO DO NEXT", one indented line per field violation, and the
// code and reason for whoever searches for them. Ends with a line break.
std::string ErrorText(const absl::Status& status, const std::string& server);

}  // namespace prequel::cli
