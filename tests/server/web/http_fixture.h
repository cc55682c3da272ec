// A server of the HTTP side, and connections to it.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>

#include "server/web/http_server.h"

namespace prequel {

// A bare connection.
class Socket {
 public:
  // To this machine, from its address 127.0.0.`from`.
  explicit Socket(int port, std::uint32_t from = 1) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + from);
    EXPECT_EQ(bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  }
  ~Socket() { close(fd_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  void Send(const std::string& text) const {
    EXPECT_EQ(send(fd_, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  void AwaitAnswer() const {
    char byte = 0;
    EXPECT_EQ(recv(fd_, &byte, 1, MSG_PEEK), 1);
  }
  // Everything until the server closes.
  std::string ReadAll() const {
    std::string all;
    char buffer[4096];
    ssize_t got = 0;
    while ((got = recv(fd_, buffer, sizeof(buffer), 0)) > 0) {
      all.append(buffer, static_cast<std::size_t>(got));
    }
    return all;
  }

 private:
  const int fd_;
};

class HttpServerTest : public ::testing::Test {
 protected:
  HttpServerTest() {
    options_.host = "127.0.0.1";
    options_.patience = std::chrono::milliseconds(300);
    options_.max_connections = 20;
    options_.max_connections_per_peer = 10;
  }
  void Start() {
    auto started = HttpServer::Start(options_, handler_);
    ASSERT_TRUE(started.ok()) << started.status();
    server_ = *std::move(started);
  }
  std::string Get() const {
    httplib::Client client("127.0.0.1", server_->port());
    const httplib::Result result = client.Get("/live?now", {{"Authorization", "Bearer x"}});
    return result ? result->body : "";
  }
  // What a whole connection is answered.
  std::string Ask(const std::string& text) const {
    const Socket connection(server_->port());
    connection.Send(text);
    return connection.ReadAll();
  }

  HttpOptions options_;
  HttpHandler handler_{.body_limit =
                           [](const HttpRequest& head) {
                             BodyLimit limit{.bytes = head.path == "/large" ? 1 << 20 : kSmallBody};
                             if (head.path == "/known") limit.beyond = {.status = 401};
                             return limit;
                           },
                       .answer =
                           [](const HttpRequest& request, const HttpRespond& respond) {
                             HttpAnswer answer;
                             answer.body = request.path + " " + request.credentials.authorization +
                                           request.body;
                             respond(std::move(answer));
                           }};
  std::unique_ptr<HttpServer> server_;
};

}  // namespace prequel
