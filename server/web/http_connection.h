// One connection of the HTTP server, plain or under TLS.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "server/web/http_server.h"

namespace prequel {

// Of one thread, that of its socket.
class HttpConnection {
 public:
  virtual ~HttpConnection() = default;
  virtual void Begin() = 0;
  // Closes it. What was under way ends, and `ended` is called, later.
  virtual void Close() = 0;
};

struct HttpConnectionParts {
  const HttpHandler& handler;  // outlives the connection
  std::chrono::milliseconds patience;
  std::function<void()> ended;  // once, as the connection ends
};

// Lives until it has ended, and whoever else holds it lets go. `context` null: plain text.
std::shared_ptr<HttpConnection> MakeHttpConnection(
    boost::asio::ip::tcp::socket socket, std::shared_ptr<boost::asio::ssl::context> context,
    HttpConnectionParts parts);

}  // namespace prequel
