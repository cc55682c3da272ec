// How many messages and bytes have come whole, by connection. gRPC says nothing of what is still
// arriving.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "server/sync/mutex.h"

namespace prequel {

// Thread-safe.
class Arrivals {
 public:
  struct Arrived {
    std::int64_t messages = 0, bytes = 0;
  };
  // Keys are gRPC's names of the other end.
  using ByPeer = std::map<std::string, Arrived, std::less<>>;

  void Count(std::string_view peer, std::int64_t bytes) {
    MutexLock lock(mu_);
    auto it = since_.find(peer);
    if (it == since_.end()) it = since_.emplace(std::string(peer), Arrived()).first;
    ++it->second.messages;
    it->second.bytes += bytes;
  }

  // Take returns what was counted since it was called last.
  ByPeer Take() {
    MutexLock lock(mu_);
    return std::exchange(since_, {});
  }

 private:
  Mutex mu_;
  ByPeer since_ ABSL_GUARDED_BY(mu_);
};

}  // namespace prequel
