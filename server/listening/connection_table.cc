#include "server/listening/connection_table.h"

#include <arpa/inet.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace prequel {
namespace {

std::optional<ino_t> InodeOf(int fd) {
  struct stat status {};
  if (fstat(fd, &status) != 0 || !S_ISSOCK(status.st_mode)) return std::nullopt;
  return status.st_ino;
}

sockaddr_storage LocalAddressOf(int fd) {
  sockaddr_storage address{};
  socklen_t length = sizeof(address);
  (void)getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length);
  return address;
}

// IdleFor is the time since anything came.
std::chrono::milliseconds IdleFor(int fd) {
  tcp_info info{};
  socklen_t length = sizeof(info);
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return {};
  return std::chrono::milliseconds(info.tcpi_last_data_recv);
}

std::int64_t ReceivedBy(int fd) {
  tcp_info info{};
  socklen_t length = sizeof(info);
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return 0;
  return static_cast<std::int64_t>(info.tcpi_bytes_received);
}

constexpr std::size_t kBytesAtOnce = 1 << 20;

bool Reached(int count, int limit) { return limit > 0 && count >= limit; }

}  // namespace

std::string PeerOf(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    return std::string(reinterpret_cast<const char*>(&v4.sin_addr), 4);
  }
  if (address.ss_family != AF_INET6) return "";
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
  const auto* bytes = reinterpret_cast<const char*>(&v6.sin6_addr);
  if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) return std::string(bytes + 12, 4);
  return std::string(bytes, 8);
}

std::string HostOf(const std::string& peer) {
  char text[INET6_ADDRSTRLEN] = {};
  in6_addr address{};
  std::copy(peer.begin(), peer.end(), reinterpret_cast<char*>(&address));
  const bool v4 = peer.size() == sizeof(in_addr);
  inet_ntop(v4 ? AF_INET : AF_INET6, &address, text, sizeof(text));
  return absl::StrCat(text, v4 ? "" : "/64");
}

std::string EndpointOf(const sockaddr_storage& address) {
  char text[INET6_ADDRSTRLEN] = {};
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    inet_ntop(AF_INET, &v4.sin_addr, text, sizeof(text));
    return absl::StrCat("ipv4:", text, ":", ntohs(v4.sin_port));
  }
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
  const int port = ntohs(v6.sin6_port);
  if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
    inet_ntop(AF_INET, v6.sin6_addr.s6_addr + 12, text, sizeof(text));
    return absl::StrCat("ipv4:", text, ":", port);
  }
  inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof(text));
  // The number says which of the host's links a link-local address is of.
  const std::string link = v6.sin6_scope_id == 0 ? "" : absl::StrCat("%25", v6.sin6_scope_id);
  return absl::StrCat("ipv6:%5B", text, link, "%5D:", port);
}

bool ConnectionTable::Add(int fd, const sockaddr_storage& address) {
  const std::string peer = PeerOf(address);
  if (IsShunned(fd, address, Clock::now())) return false;
  const std::optional<ino_t> inode = InodeOf(fd);
  if (!inode) return false;
  // A descriptor that is used again means that its earlier connection is closed.
  if (const auto old = connections_.find(fd); old != connections_.end()) {
    --peers_[old->second.peer].open;
    connections_.erase(old);
  }
  const auto full = [&] {
    return Reached(static_cast<int>(connections_.size()), limits_.all) || HasItsShare(peer);
  };
  if (full() && !std::exchange(swept_, true)) Sweep();
  if (full() && !MakeRoom(peer)) return false;
  connections_.emplace(fd, Connection{*inode, peer, EndpointOf(address)});
  ++peers_[peer].open;
  return true;
}

void ConnectionTable::Sweep() {
  std::erase_if(connections_, [this](const auto& entry) {
    if (InodeOf(entry.first) == entry.second.inode) return false;
    --peers_[entry.second.peer].open;
    return true;
  });
  std::erase_if(peers_, [](const auto& entry) { return entry.second.open <= 0; });
}

bool ConnectionTable::HasItsShare(const std::string& peer) const {
  const auto found = peers_.find(peer);
  return found != peers_.end() && Reached(found->second.open, limits_.per_peer);
}

std::set<std::string> ConnectionTable::WhoMakesRoom(const std::string& peer) const {
  std::set<std::string> who;
  if (HasItsShare(peer)) {
    if (!peers_.at(peer).busy) who.insert(peer);
    return who;
  }
  int most = 0;
  for (const auto& [name, other] : peers_) most = std::max(most, other.open);
  for (const auto& [name, other] : peers_) {
    if (other.open == most && !other.busy) who.insert(name);
  }
  return who;
}

bool ConnectionTable::MakeRoom(const std::string& peer) {
  const std::set<std::string> who = WhoMakesRoom(peer);
  if (who.empty()) return false;
  auto idlest = connections_.end();
  std::chrono::milliseconds longest = limits_.idle;
  for (auto it = connections_.begin(); it != connections_.end(); ++it) {
    if (!who.contains(it->second.peer)) continue;
    const std::chrono::milliseconds idle = IdleFor(it->first);
    if (idle < longest) continue;
    longest = idle;
    idlest = it;
  }
  if (idlest == connections_.end()) {
    for (const std::string& name : who) peers_[name].busy = true;
    return false;
  }
  ShutDown(idlest);
  return true;
}

void ConnectionTable::ShutDown(Connections::iterator connection) {
  // The socket's owner closes it, or has: then the descriptor may be somebody else's.
  if (InodeOf(connection->first) == connection->second.inode) {
    shutdown(connection->first, SHUT_RDWR);
    // What the kernel has of it would still be read: megabytes, of which gRPC makes gigabytes.
    while (recv(connection->first, nullptr, kBytesAtOnce, MSG_TRUNC | MSG_DONTWAIT) > 0) continue;
  }
  --peers_[connection->second.peer].open;
  arriving_ -= static_cast<std::int64_t>(connection->second.arriving);
  connections_.erase(connection);
  ++evicted_;
}

void ConnectionTable::SetCalls(const OpenCalls::ByPeer& calls) {
  for (auto& [fd, connection] : connections_) {
    const auto found = calls.find(connection.endpoint);
    connection.calls = found == calls.end() ? 0 : found->second;
  }
}

// What is around a message is not counted exactly, and is taken off what has just come, never off
// what is held: encryption as a share, frames and headers as kAround for each message. What nobody
// tells of, as pings and what came between two looks, fades, so that it does not add up.
void ConnectionTable::Police(const Arrivals::ByPeer& arrived, std::int64_t most,
                             std::chrono::duration<double> since) {
  constexpr double kAround = 1024, kEncryption = 1.03, kFadesIn = 300;  // seconds
  const double fading = std::min(1.0, since.count() / kFadesIn);
  Sweep();
  swept_ = false;
  for (auto& [name, peer] : peers_) peer.busy = false;
  double arriving = 0;
  std::int64_t held = 0;
  for (auto& [fd, connection] : connections_) {
    const std::int64_t received = ReceivedBy(fd);
    double fresh = static_cast<double>(received - connection.received) / kEncryption;
    connection.received = received;
    double whole = 0;
    if (const auto came = arrived.find(connection.endpoint); came != arrived.end()) {
      fresh -= kAround * static_cast<double>(came->second.messages);
      whole = static_cast<double>(came->second.bytes);
    }
    const double left = (1 - fading) * connection.arriving + std::max(0.0, fresh) - whole;
    connection.arriving = std::max(0.0, left);
    arriving += connection.arriving;
    held += connection.held();
  }
  arriving_ = static_cast<std::int64_t>(arriving);
  while (held > most && !connections_.empty()) held -= EndTheLargest();
}

bool ConnectionTable::IsShunned(int fd, const sockaddr_storage& address, Clock::time_point now) {
  if (shunned_.empty()) return false;
  std::erase_if(shunned_, [now](const auto& entry) { return entry.second <= now; });
  // The server dials itself to see whether it takes connections. Its neighbours do not.
  const auto whole = [](const sockaddr_storage& of) {
    const std::string endpoint = EndpointOf(of);
    return endpoint.substr(0, endpoint.rfind(':'));
  };
  return shunned_.contains(PeerOf(address)) && whole(address) != whole(LocalAddressOf(fd));
}

std::map<std::string, Flood> ConnectionTable::Floods() const {
  std::map<std::string, Flood> by_peer;
  for (const auto& [fd, connection] : connections_) {
    Flood& sum = by_peer[connection.peer];
    sum.calls += connection.calls;
    if (limits_.calls > 0) {
      sum.given_up += std::max<std::int64_t>(0, connection.calls - limits_.calls);
    }
  }
  std::erase_if(by_peer, [this](const auto& entry) {
    const Flood& sum = entry.second;
    const bool many = limits_.calls_per_peer > 0 && sum.calls > limits_.calls_per_peer;
    return !many && sum.given_up <= kGivenUp;
  });
  return by_peer;
}

std::vector<Flood> ConnectionTable::EndFloods(Clock::time_point now) {
  const std::map<std::string, Flood> floods = Floods();
  for (auto it = connections_.begin(); it != connections_.end();) {
    const auto connection = it++;
    if (floods.contains(connection->second.peer)) ShutDown(connection);
  }
  std::vector<Flood> fresh;
  for (const auto& [peer, flood] : floods) {
    Clock::time_point& until = shunned_[peer];
    if (until <= now) fresh.push_back({HostOf(peer), flood.calls, flood.given_up});
    until = now + kShunned;
  }
  return fresh;
}

std::int64_t ConnectionTable::EndTheLargest() {
  std::map<std::string, std::int64_t> by_peer;
  for (const auto& [fd, connection] : connections_) by_peer[connection.peer] += connection.held();
  const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
  const std::string peer = std::max_element(by_peer.begin(), by_peer.end(), less)->first;
  auto largest = connections_.end();
  for (auto it = connections_.begin(); it != connections_.end(); ++it) {
    if (it->second.peer != peer) continue;
    if (largest == connections_.end() || it->second.held() > largest->second.held()) {
      largest = it;
    }
  }
  const std::int64_t held = largest->second.held();
  ShutDown(largest);
  return held;
}

}  // namespace prequel
