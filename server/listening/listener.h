// Accepts connections for gRPC, as many as there may be.
#pragma once

#include <grpcpp/server_builder.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "server/listening/connection_table.h"
#include "server/listening/flood_watch.h"
#include "server/server_options.h"

namespace prequel {

// What may be arriving in all, when the process has grown so large. All in bytes.
struct ArrivalLimits {
  Arrivals& arrivals;  // outlives the listener
  // What is held of requests that came whole, of answers and of models; lives as long. None: it is
  // not known.
  std::function<std::int64_t()> accounted = {};
  std::int64_t most = 0;
  std::int64_t resident = 0;
  std::int64_t unexplained = 0;  // that the process may have beside all of that
};

// gRPC's own listener takes every connection, and stops for good when there are no descriptors
// left.
class Listener {
 public:
  using Acceptor = grpc::experimental::ExternalConnectionAcceptor;

  // Listens, and lets connections wait. UNAVAILABLE says why not.
  static absl::StatusOr<std::unique_ptr<Listener>> Open(const HostPort& address,
                                                        const ConnectionLimits& limits,
                                                        const ArrivalLimits& arriving);
  // Stop(). The acceptor's server must still be there.
  ~Listener();

  int port() const { return port_; }
  // Hands them on from now on.
  void Start(std::unique_ptr<Acceptor> acceptor);
  // Accepts no more.
  void Stop();

  // As of late: what is open, the bytes of what is still arriving, and how many connections were
  // refused or ended for want of room since the start.
  std::int64_t open() const { return open_.load(std::memory_order_relaxed); }
  std::int64_t arriving() const { return arriving_.load(std::memory_order_relaxed); }
  std::int64_t refused() const { return refused_.load(std::memory_order_relaxed); }

 private:
  using Clock = ConnectionTable::Clock;

  Listener(const ConnectionLimits& limits, const ArrivalLimits& arriving)
      : arriving_limits_(arriving), table_(limits), floods_(arriving.unexplained) {}
  absl::Status Listen(const HostPort& address);
  void Loop();
  // Whether the process is large.
  bool Look(Clock::time_point now);
  // One that waits on a listening socket; false when there is none.
  bool Accept(int listening);
  // No descriptor is left: lets go of one kept for this, so that whoever waits is told.
  void TurnAway(int listening);

  const ArrivalLimits arriving_limits_;
  std::vector<int> listening_;
  int port_ = 0;
  int wake_ = -1;          // readable once it is to stop
  int spare_ = -1;         // see TurnAway
  ConnectionTable table_;  // the thread's
  FloodWatch floods_;      // so too, and when it looked last
  Clock::time_point last_look_ = Clock::now();
  std::atomic<std::int64_t> open_ = 0, arriving_ = 0, refused_ = 0;
  std::unique_ptr<Acceptor> acceptor_;
  std::thread thread_;
};

}  // namespace prequel
