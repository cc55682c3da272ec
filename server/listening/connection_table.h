// The connections that are open, as many as there may be.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "server/rpc/arrivals.h"

namespace prequel {

// 0: as many as there are descriptors.
struct ConnectionLimits {
  int all = 0;
  int per_peer = 0;
  std::chrono::seconds idle{10};  // one that has been for less makes no room for another
};

// Who is at the other end, without the port: an IPv4 address, or the first 64 bits of one of IPv6.
std::string PeerOf(const sockaddr_storage& address);
// And with it, as gRPC names it.
std::string EndpointOf(const sockaddr_storage& address);

// Knows sockets that others own and close: by number and inode, so that it sees which are still
// there. One thread at a time.
class ConnectionTable {
 public:
  using Clock = std::chrono::steady_clock;

  // For how long whoever floods is shunned.
  static constexpr std::chrono::seconds kShunned{10};
  // What is arriving on all connections together when nobody floods; and on one of a host that is
  // shunned, or it is ended.
  static constexpr std::int64_t kLittle = 64 << 10, kSuspect = 16 << 10;

  explicit ConnectionTable(const ConnectionLimits& limits) : limits_(limits) {}

  // Takes on socket `fd` of `peer`, if there is room. When there is none, room is made by shutting
  // down the connection that has been idle the longest: of the same peer when it has its share,
  // else of the peer that has the most. All connections are looked through for that once between
  // two calls of Police, so that a flood of them costs little.
  bool Add(int fd, const sockaddr_storage& address);

  // To be called every tenth of a second, or `since` the last time. Of what each connection has
  // received, as much as has not come whole yet is being held. If that is more than `most` in all,
  // shuts down connections until it is not: each time the one that holds the most, of the peer that
  // holds the most. `arrived` is what came whole since the last time.
  void Police(const Arrivals::ByPeer& arrived, std::int64_t most,
              std::chrono::duration<double> since = std::chrono::milliseconds(100));
  std::int64_t arriving() const { return arriving_; }

  // To be called after Police when there is a flood of calls that are begun and given up at once.
  // Shuts down the connections that hold the most of what is arriving, nine tenths in all, and
  // until kShunned after `now` Add takes no other of their hosts, but of this one.
  void ShunFloods(Clock::time_point now);

  std::size_t open();
  std::int64_t evicted() const { return evicted_; }

 private:
  struct Connection {
    ino_t inode;
    std::string peer, endpoint;
    std::int64_t received = 0;  // by the kernel's count, as of the last Police
    double arriving = 0;        // by estimate, never below 0
  };
  using Connections = std::map<int, Connection>;

  // Whether `peer` is, at the other end of `fd`.
  bool IsShunned(int fd, const std::string& peer, Clock::time_point now);
  // Forgets those that are closed.
  void Sweep();
  bool MakeRoom(const std::string& peer);
  void ShutDown(Connections::iterator connection);
  std::string Largest() const;
  void EndTheLargest();
  void EndSuspects();

  const ConnectionLimits limits_;
  Connections connections_;  // by descriptor
  std::map<std::string, int> by_peer_;
  // Since the last Police: whether Add has looked for closed ones, and where it found none idle.
  bool swept_ = false;
  std::set<std::string> busy_;
  std::map<std::string, Clock::time_point> shunned_;  // peers, and until when
  std::int64_t evicted_ = 0;
  std::int64_t arriving_ = 0;
};

}  // namespace prequel
