// Whether whoever asked still waits for the answer.
#pragma once

#include <functional>

#include "absl/status/status.h"

namespace prequel {

// A StillWanted is called between steps of long work, which ends unless it says OK. Empty: OK.
using StillWanted = std::function<absl::Status()>;

}  // namespace prequel
