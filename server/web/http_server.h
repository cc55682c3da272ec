// The HTTP side: small pages for machines that do not speak gRPC.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/auth/credentials.h"
#include "server/auth/tls_files.h"

namespace prequel {

struct HttpRequest {
  std::string path;  // without what follows a '?'
  Credentials credentials;
};

struct HttpAnswer {
  unsigned status = 200;
  std::string body;
  std::string type = "text/plain";
  std::string authenticate;  // the header WWW-Authenticate; empty: none
};

// Called on the server's one thread, for GET and HEAD; must be quick.
using HttpHandler = std::function<HttpAnswer(const HttpRequest&)>;

struct HttpOptions {
  std::string host;
  int port = 0;                   // 0: any
  const TlsFiles* tls = nullptr;  // outlives the server; null: plain text
  // From the first byte of a handshake or a request to the last, and as long without any: an answer
  // that nobody reads, and a connection that says nothing, end with it.
  std::chrono::milliseconds patience{5'000};
  int max_connections = 128;
  int max_connections_per_peer = 64;
};

// Every connection is bounded in time and bytes, and none holds a thread. When there are as many as
// there may be, the one that has been waited for longest makes room for the next: those who only
// hold connections open do not keep others out.
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
