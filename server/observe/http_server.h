// The HTTP side: metrics and health for machines that do not speak gRPC.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace prequel {

struct HttpPages {
  std::function<std::string()> metrics;  // GET /metrics
  // GET /v2/health/ready: 200 when empty, else 503 and why. GET /v2/health/live is always 200.
  std::function<std::string()> obstacle;
};

// Answers anything else with 404, and methods other than GET and HEAD with 405. Few threads, short
// timeouts, and connections beyond what they can take wait in the kernel's bounded backlog.
class HttpServer {
 public:
  // `host` as it is, port 0 for any. UNAVAILABLE when the address cannot be bound.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(const std::string& host, int port,
                                                           HttpPages pages);
  // Waits for the requests being answered.
  ~HttpServer();

  int port() const { return port_; }

 private:
  struct Impl;
  HttpServer(std::unique_ptr<Impl> impl, int port);

  const std::unique_ptr<Impl> impl_;
  const int port_;
};

}  // namespace prequel
