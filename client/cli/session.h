// What every subcommand shares: the global options and how a run ends.
#pragma once

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "client/client.h"

namespace prequel::cli {

// Documented in `prequel --help` and client/README.md: scripts rely on them.
enum ExitCode {
  kOk = 0,
  kRefused = 1,        // the server refused the request or failed
  kUsage = 2,          // the command line is wrong
  kUnreachable = 3,    // no answer from the server
  kBadData = 4,        // a file is missing or its content is wrong
  kPartial = 5,        // learned or scored, but some minibatches or rows were refused
  kInterrupted = 130,  // stopped by Ctrl-C after reporting what was acknowledged
  kClosed = 141,       // nobody reads the output any more, as in `prequel predict … | head`
};

struct Session {
  std::string server = "127.0.0.1:8081";
  double timeout_seconds = 30;
  bool json = false;
  client::SecurityOptions security;

  // Set by the subcommand that was given; runs once everything has been parsed.
  std::function<absl::Status()> action;

  client::ClientOptions client_options() const;
};

// The command line contradicts itself: exit code 2.
absl::Status UsageError(const std::string& message);

// Everything has been said already; only the code remains to be returned.
absl::Status ExitWith(ExitCode code);

// ExitCodeOf is what `status` means to a script. An error that no call returned is about data.
ExitCode ExitCodeOf(const absl::Status& status);

// False for ExitWith and OK: there is nothing to print.
bool HasMessage(const absl::Status& status);

}  // namespace prequel::cli
