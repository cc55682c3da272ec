// How many files and connections the process may have open, and what they are for.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"

namespace prequel {

// Raises the limit as far as it goes without being root.
void RaiseDescriptorLimit();
// The limit as it is.
std::int64_t DescriptorLimit();

// How many descriptors each part may have. What is left is for everything else: the store's logs, a
// snapshot that is being written, the audit trail, files that are read again, the server's own call
// of itself.
struct DescriptorShares {
  int store = 0;  // tables that are kept open
  int http = 0;   // connections
  int grpc = 0;   // so too
};

// FAILED_PRECONDITION: `limit` is too low for a server.
absl::StatusOr<DescriptorShares> DivideDescriptors(std::int64_t limit);

}  // namespace prequel
