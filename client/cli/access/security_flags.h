// The flags, and the environment, that say how the client knows its server and shows who it is.
#pragma once

#include "client/security.h"

namespace CLI {
class App;
}

namespace prequel::cli {

// No flag takes a token itself: a command line is seen by everybody on the machine.
void AddSecurityFlags(CLI::App& app, client::SecurityOptions& options);

// PREQUEL_TOKEN, unless a file was named.
void ReadTokenFromEnvironment(client::SecurityOptions& options);

}  // namespace prequel::cli
