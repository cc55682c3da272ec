// The HTTP side, for machines that do not speak gRPC.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "server/auth/credentials.h"
#include "server/auth/tls_files.h"

namespace prequel {

struct HttpRequest {
  std::string method = "GET";
  std::string path;  // without what follows a '?'
  Credentials credentials;
  std::string peer;        // the other end as gRPC names it: "ipv4:10.0.0.1:5000"
  std::string request_id;  // the header X-Request-Id, which the answer has as well
  std::string content_encoding;
  std::optional<std::size_t> json_length;  // the header Inference-Header-Content-Length
  std::string body;
  std::function<bool()> gone;  // whether the client is, or has waited too long; on any thread
};

struct HttpAnswer {
  unsigned status = 200;
  std::string body;
  std::string type = "text/plain";
  std::string authenticate;     // the header WWW-Authenticate; empty: none
  std::string allow;            // the header Allow; empty: none
  std::size_t json_length = 0;  // as of a request; 0: none
  // `held` is let go of once the body has been written, or never will be: what the body holds of a
  // budget.
  std::shared_ptr<const void> held;
};

// An HttpRespond is called once, on any thread, also after the server has gone.
using HttpRespond = std::function<void(HttpAnswer)>;

// How large the body of a request may be that has come as far as its head. A body of chunks, whose
// length is not said, is refused once it is larger.
struct BodyLimit {
  std::int64_t bytes = 0;            // HttpOptions::max_body_bytes counts as well
  std::optional<HttpAnswer> beyond;  // to a longer one; none: 413
};

// Both functions are called on the server's one thread, and must be quick.
struct HttpHandler {
  std::function<BodyLimit(const HttpRequest& head)> body_limit;
  std::function<void(HttpRequest request, HttpRespond respond)> answer;
};

// The longest body of a request that brings nothing of use.
inline constexpr std::int64_t kSmallBody = 1024;

struct HttpOptions {
  std::string host;
  int port = 0;                   // 0: any
  const TlsFiles* tls = nullptr;  // outlives the server; null: plain text
  // How long a handshake or a request may take from its first byte to its last, and how long a
  // connection may go without any: an answer that nobody reads, and a connection that says nothing,
  // end with it. A large body has as much more for each of its MiB.
  std::chrono::milliseconds patience{5'000};
  std::chrono::milliseconds longest_answer{60'000};  // from the end of a request
  std::int64_t max_body_bytes = 16 << 20;            // of one request
  std::int64_t max_bodies_bytes = 256 << 20;         // of all that are not answered; beyond: 503
  int max_connections = 128;
  int max_connections_per_peer = 64;  // from one IPv4 address, or 64 bits of one of IPv6
};

// Every connection is bounded in time and bytes, and none holds a thread. When there are as many as
// there may be, whoever has the most of them makes room for the next (web/room.h).
class HttpServer {
 public:
  // UNAVAILABLE when the address cannot be bound.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(const HttpOptions& options,
                                                           HttpHandler handler);
  // Waits for the answer being made.
  ~HttpServer();

  int port() const;

 private:
  class Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace prequel
