// What a connection and whoever answers its request have between them.
#pragma once

#include <atomic>
#include <functional>
#include <utility>

#include "server/sync/mutex.h"
#include "server/web/http_server.h"

namespace prequel {

// Thread-safe. Shared, so that either may go before the other.
class HttpExchange {
 public:
  // `deliver` is called by Respond, on its thread, until Leave.
  explicit HttpExchange(HttpRespond deliver) : deliver_(std::move(deliver)) {}

  void Respond(HttpAnswer answer) {
    MutexLock lock(mu_);
    if (deliver_) std::exchange(deliver_, nullptr)(std::move(answer));
  }

  // Leave is called by the connection: nobody waits for an answer any more. On return no call of
  // `deliver` is in progress.
  void Leave() {
    gone_.store(true, std::memory_order_relaxed);
    MutexLock lock(mu_);
    deliver_ = nullptr;
  }

  bool gone() const { return gone_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> gone_ = false;
  Mutex mu_;
  HttpRespond deliver_ ABSL_GUARDED_BY(mu_);
};

}  // namespace prequel
