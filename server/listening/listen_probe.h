// Whether addresses can be listened on, and if not why: gRPC itself does not say.
#pragma once

#include <span>

#include "absl/status/status.h"
#include "server/server_options.h"

namespace prequel {

// ProbeListen tries all of them at once, so that two which collide are found as well. UNAVAILABLE
// with the address and the reason of the operating system.
absl::Status ProbeListen(std::span<const HostPort> addresses);

}  // namespace prequel
