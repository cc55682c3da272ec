// Why no connection to a server was made.
#pragma once

#include <string>
#include <string_view>

namespace prequel::cli {

struct Unreachable {
  std::string what;  // is wrong
  std::string next;  // what to do
};

// WhyUnreachable reads `message`, which is gRPC's for UNAVAILABLE. A proxy that the environment
// names is mentioned where it stands between: never before this machine.
Unreachable WhyUnreachable(std::string_view message, const std::string& server);

}  // namespace prequel::cli
