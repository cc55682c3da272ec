// Whether an address can be listened on, and if not why: gRPC itself does not say.
#pragma once

#include "absl/status/status.h"
#include "server/server_options.h"

namespace prequel {

// UNAVAILABLE with the reason of the operating system.
absl::Status ProbeListen(const HostPort& address);

}  // namespace prequel
