// The calls that are open, of each connection, as gRPC counts them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace prequel {

// gRPC tells the server's code of a call once its message has come, or not at all. It counts a call
// (in channelz) from its headers until its memory is let go, which for a call that its client
// resets may be long after: so the count is of what takes memory. One thread at a time.
class OpenCalls {
 public:
  // Calls by gRPC's name of the other end; connections without calls are left out.
  using ByPeer = std::map<std::string, std::int64_t, std::less<>>;

  // What gRPC holds of one call before its message comes, about.
  static constexpr std::int64_t kBytes = 20 << 10;
  // Connections that one Look asks about; that takes some 3 ms.
  static constexpr std::int64_t kAtOnce = 256;

  // The constructor takes the server that was started last in this process. `at_once`: see Look.
  explicit OpenCalls(std::int64_t at_once = kAtOnce);

  // Look asks about the next connections, `at_once` at the most. What is known of the others stays;
  // those that are gone are forgotten.
  void Look();

  ByPeer by_peer() const;
  std::int64_t all() const;
  std::size_t connections() const { return connections_.size(); }

 private:
  struct Connection {
    std::string peer;
    std::int64_t calls = 0;
  };

  const std::int64_t at_once_;
  const std::int64_t server_;  // gRPC's numbers of it and of connections grow
  std::int64_t next_ = 0;      // the first that the next Look asks about
  std::map<std::int64_t, Connection> connections_;
};

}  // namespace prequel
