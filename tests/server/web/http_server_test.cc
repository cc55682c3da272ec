// Bounds of the HTTP side: in bytes, in time, and in connections.
#include "server/web/http_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace prequel {
namespace {

// A bare connection.
class Socket {
 public:
  explicit Socket(int port) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
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
    auto started = HttpServer::Start(options_, [](const HttpRequest& request) {
      HttpAnswer answer;
      answer.body = request.path + " " + request.credentials.authorization + "\n";
      return answer;
    });
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
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, HandsOverWhatWasAsked) {
  Start();
  EXPECT_EQ(Get(), "/live Bearer x\n");
  httplib::Client client("127.0.0.1", server_->port());
  EXPECT_EQ(client.Head("/live")->body, "");
  EXPECT_EQ(client.Head("/live")->get_header_value("Content-Length"), "7");
  EXPECT_EQ(client.Post("/live", "x", "text/plain")->status, 405);
  EXPECT_EQ(client.Post("/live", "x", "text/plain")->get_header_value("Allow"), "GET, HEAD");
}

TEST_F(HttpServerTest, RefusesWhatIsTooLong) {
  Start();
  EXPECT_EQ(Ask("GET /" + std::string(9000, 'x') + " HTTP/1.1\r\n\r\n").substr(9, 3), "431");
  std::string many = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 1000; ++i) many += "Name" + std::to_string(i) + ": value\r\n";
  EXPECT_EQ(Ask(many + "\r\n").substr(9, 3), "431");
  EXPECT_EQ(Ask("POST / HTTP/1.1\r\nContent-Length: 5000\r\n\r\n").substr(9, 3), "413");
  EXPECT_EQ(Ask("no request\r\n\r\n").substr(9, 3), "400");
  EXPECT_EQ(Get(), "/live Bearer x\n");
}

TEST_F(HttpServerTest, EndsConnectionsThatAreSlow) {
  Start();
  EXPECT_EQ(Ask(""), "");
  EXPECT_EQ(Ask("GET / HTTP/1.1\r\nX: "), "");
  // An idle one ends after its answer, too.
  const std::string answered = Ask("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(answered.substr(9, 3), "200");
}

TEST_F(HttpServerTest, AProbeIsAnsweredWhileOthersHoldConnections) {
  options_.patience = std::chrono::hours(1);
  Start();
  std::vector<std::unique_ptr<Socket>> held;
  for (int i = 0; i < 100; ++i) {
    held.push_back(std::make_unique<Socket>(server_->port()));
    held.back()->Send("GET /metrics HTTP/1.1\r\nX-Slow: ");
    if (i % 10 == 9) {
      EXPECT_EQ(Get(), "/live Bearer x\n") << i;
    }
  }
  // Those that came first have made room.
  EXPECT_EQ(held.front()->ReadAll(), "");
}

TEST_F(HttpServerTest, SaysWhyItCannotListen) {
  Start();
  HttpOptions same = options_;
  same.port = server_->port();
  const auto second = HttpServer::Start(same, [](const HttpRequest&) { return HttpAnswer(); });
  EXPECT_TRUE(absl::IsUnavailable(second.status()));
}

TEST_F(HttpServerTest, StopsWithConnectionsOpen) {
  options_.patience = std::chrono::hours(1);
  Start();
  const Socket idle(server_->port()), slow(server_->port());
  slow.Send("GET / HT");
  EXPECT_EQ(Get(), "/live Bearer x\n");
  server_.reset();
  EXPECT_EQ(idle.ReadAll(), "");
}

}  // namespace
}  // namespace prequel
