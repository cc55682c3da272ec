// Whether the server's own gRPC port still takes connections, tried by making one: a listener that
// has died leaves everything else alive.
#pragma once

#include <grpcpp/security/credentials.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "server/server_options.h"
#include "server/sync/repeated.h"

namespace prequel {

class SelfDial {
 public:
  // SelfDial dials the server that listens on `address`, with TLS or without. `refused` counts the
  // connections that the port has had no room for: a port that turns this one away, too, is alive.
  SelfDial(const HostPort& address, bool tls, std::function<std::int64_t()> refused,
           std::chrono::milliseconds pause = std::chrono::seconds(5));

  // What the last attempt found; true before the first.
  bool answered() const { return answered_.load(std::memory_order_relaxed); }

 private:
  bool Look() const;
  bool Dial() const;

  const std::string target_;
  const std::shared_ptr<grpc::ChannelCredentials> credentials_;
  const std::function<std::int64_t()> refused_;
  std::atomic<bool> answered_ = true;
  Repeated repeated_;  // last: it uses all of the above
};

}  // namespace prequel
