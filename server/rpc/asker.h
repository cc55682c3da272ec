// In whose name a call is worked on.
#pragma once

#include <string>
#include <string_view>

namespace prequel {

// Who asks share evenly, and what each asks about shares what it has. A caller is a principal of
// the policy or, without one, a host: what a client could choose at will would be no bound.
struct Asker {
  std::string caller;
  std::string about;  // what the request names, cut: the client chooses it
};

// The host in gRPC's name of the other end, "ipv4:10.0.0.1:5000": the address without the port, and
// of IPv6 the first 64 bits, which are one network's. Whatever is no such name is a host of its
// own.
std::string HostOf(std::string_view peer);

}  // namespace prequel
