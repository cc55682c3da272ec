#include "server/rpc/asker.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "absl/strings/str_replace.h"

namespace prequel {
namespace {

constexpr std::string_view kIpv6 = "ipv6:";

}  // namespace

std::string HostOf(std::string_view peer) {
  std::string host(peer.substr(0, peer.rfind(':')));
  if (host.rfind(kIpv6, 0) != 0) return host;
  host.erase(0, kIpv6.size());
  // gRPC writes brackets as in an address of the web.
  absl::StrReplaceAll({{"%5B", ""}, {"%5D", ""}, {"[", ""}, {"]", ""}}, &host);
  host = host.substr(0, host.find('%'));  // without the interface
  in6_addr address{};
  if (inet_pton(AF_INET6, host.c_str(), &address) != 1) return std::string(peer);
  std::fill(std::begin(address.s6_addr) + 8, std::end(address.s6_addr), std::uint8_t{0});
  char network[INET6_ADDRSTRLEN] = {};
  inet_ntop(AF_INET6, &address, network, sizeof(network));
  return std::string(kIpv6) + network;
}

}  // namespace prequel
