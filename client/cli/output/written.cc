#include "client/cli/output/written.h"

#include <poll.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "client/cli/session.h"

namespace prequel::cli {
namespace {

// Linux reports POLLERR for a pipe that nobody has open for reading.
bool ReaderHasGone() {
  struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return poll(&output, 1, 0) == 1 && (output.revents & (POLLERR | POLLHUP)) != 0;
}

}  // namespace

absl::Status Written(std::ostream& out, const std::string& path) {
  const bool to_file = !path.empty() && path != "-";
  out.flush();
  if (!to_file && ReaderHasGone()) return ExitWith(kClosed);
  if (out.good()) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("cannot write to ", to_file ? path : "standard output"));
}

}  // namespace prequel::cli
