// Whether whoever asked still waits for the answer.
#pragma once

#include <functional>

#include "absl/status/status.h"

namespace prequel {

// Asked between steps of long work: what else than OK it says ends the work. Empty: OK.
using StillWanted = std::function<absl::Status()>;

}  // namespace prequel
