// Whether other machines can reach the server, and what then protects it.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "server/server_options.h"

namespace prequel {

// FAILED_PRECONDITION for an address that is not a loopback one without both TLS and a policy,
// unless options.insecure: with the commands that make what is missing.
absl::Status CheckExposure(const ServerOptions& options);

// What options.insecure means, for the log at every start.
std::string InsecureWarning(const ServerOptions& options);

}  // namespace prequel
