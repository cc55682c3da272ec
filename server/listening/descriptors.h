// How many files and connections the process may have open.
#pragma once

namespace prequel {

// Raises the limit as far as it goes without being root. gRPC does not listen again after it has
// once had no descriptor for a connection.
void RaiseDescriptorLimit();

}  // namespace prequel
