// prequeld's flags and configuration file.
#pragma once

#include <optional>

#include "server/server_options.h"

namespace prequel {

struct CommandLine {
  ServerOptions options;
  std::optional<int> exit_code;  // set: say no more and exit with it (help, version, usage error)
};

// Prints help and the version to stdout, usage errors to stderr in one line.
CommandLine ParseCommandLine(int argc, char** argv);

}  // namespace prequel
