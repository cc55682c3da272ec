#include "server/listening/connection_table.h"

#include <arpa/inet.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/stat.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "absl/strings/str_cat.h"

namespace prequel {
namespace {

std::optional<ino_t> InodeOf(int fd) {
  struct stat status {};
  if (fstat(fd, &status) != 0 || !S_ISSOCK(status.st_mode)) return std::nullopt;
  return status.st_ino;
}

// Milliseconds since anything came.
std::uint32_t IdleFor(int fd) {
  tcp_info info{};
  socklen_t length = sizeof(info);
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return 0;
  return info.tcpi_last_data_recv;
}

std::int64_t ReceivedBy(int fd) {
  tcp_info info{};
  socklen_t length = sizeof(info);
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return 0;
  return static_cast<std::int64_t>(info.tcpi_bytes_received);
}

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
  return absl::StrCat("ipv6:%5B", text, "%5D:", port);
}

bool ConnectionTable::Add(int fd, const sockaddr_storage& address) {
  const std::string peer = PeerOf(address);
  const std::optional<ino_t> inode = InodeOf(fd);
  if (!inode) return false;
  const auto full = [&] {
    return Reached(static_cast<int>(connections_.size()), limits_.all) ||
           Reached(by_peer_[peer], limits_.per_peer);
  };
  if (full()) Sweep();
  if (full() && !MakeRoom(peer)) return false;
  // A descriptor that is used again: whoever had it is closed.
  if (const auto old = connections_.find(fd); old != connections_.end()) {
    --by_peer_[old->second.peer];
    connections_.erase(old);
  }
  connections_.emplace(fd, Connection{*inode, peer, EndpointOf(address)});
  ++by_peer_[peer];
  return true;
}

std::size_t ConnectionTable::open() {
  Sweep();
  return connections_.size();
}

void ConnectionTable::Sweep() {
  std::erase_if(connections_, [this](const auto& entry) {
    if (InodeOf(entry.first) == entry.second.inode) return false;
    --by_peer_[entry.second.peer];
    return true;
  });
  std::erase_if(by_peer_, [](const auto& entry) { return entry.second <= 0; });
}

std::string ConnectionTable::Largest() const {
  const auto most =
      std::max_element(by_peer_.begin(), by_peer_.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == by_peer_.end() ? "" : most->first;
}

bool ConnectionTable::MakeRoom(const std::string& peer) {
  const std::string from = Reached(by_peer_[peer], limits_.per_peer) ? peer : Largest();
  auto idlest = connections_.end();
  std::uint32_t longest = kIdleSeconds * 1000;
  for (auto it = connections_.begin(); it != connections_.end(); ++it) {
    if (it->second.peer != from) continue;
    const std::uint32_t idle = IdleFor(it->first);
    if (idle < longest) continue;
    longest = idle;
    idlest = it;
  }
  if (idlest == connections_.end()) return false;
  ShutDown(idlest);
  return true;
}

void ConnectionTable::ShutDown(Connections::iterator connection) {
  shutdown(connection->first, SHUT_RDWR);  // its owner closes it
  --by_peer_[connection->second.peer];
  connections_.erase(connection);
  ++evicted_;
}

// What is around a message is not counted exactly: frames and headers as kAround, encryption as a
// share, and what nobody tells of as a little each time. All are a little too much, so that nothing
// adds up over a long time.
void ConnectionTable::Police(const Arrivals::ByPeer& arrived, std::int64_t most) {
  constexpr double kAround = 1024, kEncryption = 1.03, kPings = 512;
  Sweep();
  double all = 0;
  for (auto& [fd, connection] : connections_) {
    const std::int64_t received = ReceivedBy(fd);
    double now = connection.arriving + static_cast<double>(received - connection.received) - kPings;
    connection.received = received;
    if (const auto whole = arrived.find(connection.endpoint); whole != arrived.end()) {
      now -= kEncryption * static_cast<double>(whole->second.bytes) +
             kAround * static_cast<double>(whole->second.messages);
    }
    connection.arriving = std::max(0.0, now);
    all += connection.arriving;
  }
  while (all > static_cast<double>(most)) {
    const auto largest = std::max_element(
        connections_.begin(), connections_.end(),
        [](const auto& a, const auto& b) { return a.second.arriving < b.second.arriving; });
    if (largest == connections_.end()) break;
    all -= largest->second.arriving;
    ShutDown(largest);
  }
  arriving_ = static_cast<std::int64_t>(all);
}

}  // namespace prequel
