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
#include <vector>

#include "server/listening/open_calls.h"
#include "server/rpc/arrivals.h"

namespace prequel {

// 0: as many as there are descriptors.
struct ConnectionLimits {
  int all = 0;
  int per_peer = 0;
  std::chrono::seconds idle{10};  // one that has been for less makes no room for another
  // Calls that are open on one connection, beyond which its client has given others up; and of all
  // connections of one peer. 0: as many as come.
  std::int64_t calls = 0;
  std::int64_t calls_per_peer = 0;
};

// A host that had more calls open than it may have.
struct Flood {
  std::string host;  // "10.0.0.1" or "2001:db8::/64"
  std::int64_t calls = 0;
  std::int64_t given_up = 0;  // of them
};

// PeerOf is who is at the other end, without the port: an IPv4 address, or the first 64 bits of one
// of IPv6.
std::string PeerOf(const sockaddr_storage& address);
// HostOf is such a peer for people to read.
std::string HostOf(const std::string& peer);
// EndpointOf is the other end with its port, as gRPC names it.
std::string EndpointOf(const sockaddr_storage& address);

// A ConnectionTable knows sockets that others own and close: by number and inode, so that it sees
// which are still there. One thread at a time.
class ConnectionTable {
 public:
  using Clock = std::chrono::steady_clock;

  // How long a peer that floods is shunned.
  static constexpr std::chrono::seconds kShunned{10};
  // How many calls that were given up a peer may have open: honest clients give up some, when they
  // take too long.
  static constexpr std::int64_t kGivenUp = 1024;

  explicit ConnectionTable(const ConnectionLimits& limits) : limits_(limits) {}

  // Add takes on socket `fd` of a client at `address`, if there is room. Else room is made by
  // shutting down the connection that has been idle the longest: of the same peer when it has its
  // share, else of the peer that has the most, or of all that have as many. A peer without an idle
  // connection is not looked at again before the next Police, so that a flood of connections costs
  // little.
  bool Add(int fd, const sockaddr_storage& address);

  // SetCalls says how many calls each connection has open.
  void SetCalls(const OpenCalls::ByPeer& calls);

  // Police is to be called every tenth of a second, or `since` after the last time. A connection
  // holds what it has received and has not come whole yet, and OpenCalls::kBytes for each of its
  // calls. While all connections together hold more than `most`, Police shuts one down: the one
  // that holds the most, of the peer that holds the most. `arrived` is what came whole since the
  // last time.
  void Police(const Arrivals::ByPeer& arrived, std::int64_t most,
              std::chrono::duration<double> since = std::chrono::milliseconds(100));
  std::int64_t arriving() const { return arriving_; }

  // EndFloods shuts down all connections of peers that have more than kGivenUp calls that were
  // given up, or more than ConnectionLimits::calls_per_peer calls. Until kShunned after `now`, Add
  // takes no others of these peers, except from an address of this server itself. Returns the peers
  // that were not shunned already.
  std::vector<Flood> EndFloods(Clock::time_point now);

  // How many connections are open; some of them may have closed since the last Police.
  std::size_t open() const { return connections_.size(); }
  std::int64_t evicted() const { return evicted_; }

 private:
  struct Connection {
    ino_t inode;
    std::string peer, endpoint;
    std::int64_t received = 0;  // by the kernel's count, as of the last Police
    double arriving = 0;        // by estimate, never below 0
    std::int64_t calls = 0;
    std::int64_t held() const {
      return static_cast<std::int64_t>(arriving) + OpenCalls::kBytes * calls;
    }
  };
  using Connections = std::map<int, Connection>;
  struct Peer {
    int open = 0;
    bool busy = false;  // none of its connections was idle when Add looked, since the last Police
  };

  // Whether the peer at `address`, the other end of `fd`, is shunned.
  bool IsShunned(int fd, const sockaddr_storage& address, Clock::time_point now);
  // Sweep forgets the connections that are closed.
  void Sweep();
  bool HasItsShare(const std::string& peer) const;
  bool MakeRoom(const std::string& peer);
  // WhoMakesRoom gives the peers that may lose a connection for `peer`, without those that are
  // busy.
  std::set<std::string> WhoMakesRoom(const std::string& peer) const;
  void ShutDown(Connections::iterator connection);
  std::int64_t EndTheLargest();                 // what it held
  std::map<std::string, Flood> Floods() const;  // by peer

  const ConnectionLimits limits_;
  Connections connections_;            // by descriptor
  std::map<std::string, Peer> peers_;  // of connections_, by name
  bool swept_ = false;                 // Add has looked for closed ones since the last Police
  std::map<std::string, Clock::time_point> shunned_;  // peers, and until when
  std::int64_t evicted_ = 0;
  std::int64_t arriving_ = 0;
};

}  // namespace prequel
