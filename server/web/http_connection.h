// One connection of the HTTP server, plain or under TLS.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "server/web/http_server.h"

namespace prequel {

// An HttpConnection is used by one thread, that of its socket.
class HttpConnection {
 public:
  virtual ~HttpConnection() = default;
  virtual void Begin() = 0;
  // Close closes the connection. What was under way ends, and `ended` is called, later.
  virtual void Close() = 0;
  // Leave: the answer that is being made is not to come here any more.
  virtual void Leave() = 0;
};

struct HttpConnectionParts {
  // `handler` and `options` outlive the connection.
  const HttpHandler& handler;
  const HttpOptions& options;
  std::int64_t& body_bytes;             // of all connections, of requests that are not answered
  std::string peer;                     // as of HttpRequest
  std::function<void(bool)> answering;  // as a request has come whole, and once it is answered
  std::function<void()> ended;          // once, as the connection ends
};

// The connection lives until it has ended, and whoever else holds it lets go. `context` null: plain
// text.
std::shared_ptr<HttpConnection> MakeHttpConnection(
    boost::asio::ip::tcp::socket socket, std::shared_ptr<boost::asio::ssl::context> context,
    HttpConnectionParts parts);

}  // namespace prequel
