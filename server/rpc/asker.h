// The caller in whose name a call is worked on.
#pragma once

#include <string>
#include <string_view>

#include "server/sync/fair_queue.h"

namespace prequel {

// Callers divide the processor time by their shares, and what one caller asks about divides its
// time evenly. A caller is a principal of the policy or, without one, a host: a name that a client
// could choose at will would be no bound.
struct Asker {
  std::string caller;
  std::string about;       // what the request names, cut: the client chooses it
  int share = kEvenShare;  // the caller's, 1 to 1000
};

// The host in gRPC's name of the other end, "ipv4:10.0.0.1:5000": the address without the port, and
// of IPv6 the first 64 bits, which are one network's. Anything that is no such name is a host of
// its own.
std::string HostOf(std::string_view peer);

}  // namespace prequel
