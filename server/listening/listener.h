// Accepts connections for gRPC, as many as there may be.
#pragma once

#include <grpcpp/server_builder.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "server/listening/connection_table.h"
#include "server/listening/open_calls.h"
#include "server/log/stderr_log.h"
#include "server/server_options.h"

namespace prequel {

// gRPC may hold `most` bytes of requests that have not come whole, and of open calls, once the
// process has more than `resident` bytes in memory.
struct ArrivalLimits {
  Arrivals& arrivals;  // outlives the listener
  std::int64_t most = 0;
  std::int64_t resident = 0;
};

// A Listener stands in for gRPC's own, which takes every connection, and stops for good when there
// are no descriptors left.
class Listener {
 public:
  using Acceptor = grpc::experimental::ExternalConnectionAcceptor;

  // Open listens, and lets connections wait. UNAVAILABLE says why not.
  static absl::StatusOr<std::unique_ptr<Listener>> Open(const HostPort& address,
                                                        const ConnectionLimits& limits,
                                                        const ArrivalLimits& arriving);
  // Stop(). The acceptor's server must still be there.
  ~Listener();

  int port() const { return port_; }
  // Start hands connections on from now on, to the server that was started last in this process.
  void Start(std::unique_ptr<Acceptor> acceptor);
  // Stop accepts no more.
  void Stop();

  // What the last look has seen: the connections that are open, the bytes of what is still
  // arriving, the calls that gRPC has open, and the memory of both. Since the start: how many
  // connections were refused or ended for want of room, and how often a host had too many calls.
  std::int64_t open() const { return open_.load(std::memory_order_relaxed); }
  std::int64_t arriving() const { return arriving_.load(std::memory_order_relaxed); }
  std::int64_t calls() const { return calls_.load(std::memory_order_relaxed); }
  std::int64_t held() const { return arriving() + OpenCalls::kBytes * calls(); }
  std::int64_t refused() const { return refused_.load(std::memory_order_relaxed); }
  std::int64_t floods() const { return floods_.load(std::memory_order_relaxed); }

 private:
  using Clock = ConnectionTable::Clock;

  Listener(const ConnectionLimits& limits, const ArrivalLimits& arriving)
      : arriving_limits_(arriving), table_(limits) {}
  absl::Status Listen(const HostPort& address);
  void Loop();
  // Look counts what is open and polices the table. Returns whether the process is large.
  bool Look(Clock::time_point now);
  void CountCalls(Clock::time_point now);
  // Accept takes a connection that waits on the socket `listening`; false when it took none.
  bool Accept(int listening);
  // TurnAway: no descriptor is left. Lets go of one kept for this, so that whoever waits is told.
  void TurnAway(int listening);

  const ArrivalLimits arriving_limits_;
  std::vector<int> listening_;
  int port_ = 0;
  int wake_ = -1;   // readable once it is to stop
  int spare_ = -1;  // see TurnAway
  // Owned by thread_.
  ConnectionTable table_;
  std::unique_ptr<OpenCalls> open_calls_;
  Clock::time_point last_look_ = Clock::now(), last_count_ = last_look_;
  LogBudget log_budget_{4};

  std::atomic<std::int64_t> open_ = 0, arriving_ = 0, calls_ = 0, refused_ = 0, floods_ = 0;
  std::unique_ptr<Acceptor> acceptor_;
  std::thread thread_;
};

}  // namespace prequel
