// Whether what was printed has come anywhere.
#pragma once

#include <ostream>
#include <string>

#include "absl/status/status.h"

namespace prequel::cli {

// Flushes `out`, which is the standard output or the file `path`. A pipe whose reader has gone ends
// the program in silence (ExitWith(kClosed)); any other failure is DATA_LOSS and names the file.
// `path` "" or "-" is the standard output.
absl::Status Written(std::ostream& out, const std::string& path);

}  // namespace prequel::cli
