// Bounds of the HTTP side: in bytes, in time, and in connections.
#include "server/web/http_server.h"

#include <gtest/gtest.h>
#include <httplib.h>

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tests/server/web/http_fixture.h"

namespace prequel::http_server_test {
namespace {

TEST_F(HttpServerTest, HandsOverWhatWasAsked) {
  Start();
  EXPECT_EQ(Get(), "/live Bearer x");
  httplib::Client client("127.0.0.1", server_->port());
  EXPECT_EQ(client.Head("/live")->body, "");
  EXPECT_EQ(client.Head("/live")->get_header_value("Content-Length"), "6");
  EXPECT_EQ(client.Post("/live", "x", "text/plain")->body, "/live x");
}

TEST_F(HttpServerTest, GivesBackWhatTheClientCallsItsRequest) {
  handler_.answer = [](const HttpRequest& request, const HttpRespond& respond) {
    HttpAnswer answer;
    answer.body = "of " + request.request_id;
    respond(std::move(answer));
  };
  Start();
  httplib::Client client("127.0.0.1", server_->port());
  const auto ask = [&client](const char* path, const std::string& id) {
    return client.Post(path, {{"X-Request-Id", id}}, std::string(2000, 'x'), "text/plain");
  };
  const httplib::Result answered = ask("/large", "7f3a-91");
  EXPECT_EQ(answered->body, "of 7f3a-91");
  EXPECT_EQ(answered->get_header_value("X-Request-Id"), "7f3a-91");
  EXPECT_EQ(ask("/small", "7f3a-91")->get_header_value("X-Request-Id"), "7f3a-91") << "refused";
  for (const std::string& bad : {std::string("two words"), std::string(129, 'x')}) {
    const httplib::Result ignored = ask("/large", bad);
    EXPECT_EQ(ignored->body, "of ");
    EXPECT_FALSE(ignored->has_header("X-Request-Id"));
  }
}

TEST_F(HttpServerTest, HoldsAnAnswerUntilItIsWritten) {
  options_.patience = std::chrono::hours(1);
  std::weak_ptr<const void> held;
  handler_.answer = [&held](const HttpRequest&, const HttpRespond& respond) {
    HttpAnswer answer;
    answer.body = std::string(64 << 20, 'x');  // more than the sockets take
    answer.held = std::make_shared<int>();
    held = answer.held;
    respond(std::move(answer));
  };
  Start();
  const Socket connection(server_->port());
  connection.Send("GET /large HTTP/1.1\r\nConnection: close\r\n\r\n");
  connection.AwaitAnswer();
  EXPECT_FALSE(held.expired());
  EXPECT_GT(connection.ReadAll().size(), std::size_t{64} << 20);
  EXPECT_TRUE(held.expired());
}

TEST_F(HttpServerTest, RefusesWhatIsTooLong) {
  options_.max_body_bytes = 6000;
  Start();
  EXPECT_EQ(Ask("POST /large HTTP/1.1\r\nContent-Length: 7000\r\n\r\n").substr(9, 3), "413");
  EXPECT_EQ(Ask("GET /" + std::string(9000, 'x') + " HTTP/1.1\r\n\r\n").substr(9, 3), "431");
  std::string many = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 1000; ++i) many += "Name" + std::to_string(i) + ": value\r\n";
  EXPECT_EQ(Ask(many + "\r\n").substr(9, 3), "431");
  EXPECT_EQ(Ask("POST / HTTP/1.1\r\nContent-Length: 5000\r\n\r\n").substr(9, 3), "413");
  EXPECT_EQ(Ask("no request\r\n\r\n").substr(9, 3), "400");
  EXPECT_EQ(Get(), "/live Bearer x");
}

TEST_F(HttpServerTest, RefusalsAreJson) {
  options_.max_body_bytes = 6000;
  options_.longest_answer = std::chrono::milliseconds(100);
  handler_.answer = [](const HttpRequest&, const HttpRespond&) {};
  Start();
  const auto refused = [this](const std::string& request) {
    const std::string answer = Ask(request);
    EXPECT_NE(answer.find("Content-Type: application/json\r\n"), std::string::npos) << answer;
    return answer.substr(9, 3) + answer.substr(answer.find("\r\n\r\n") + 4);
  };
  EXPECT_EQ(refused("no request\r\n\r\n").substr(0, 13), "400{\"error\":\"");
  EXPECT_EQ(refused("POST /large HTTP/1.1\r\nContent-Length: 7000\r\n\r\n"),
            "413{\"error\":\"the body is larger than 6000 bytes\"}");
  EXPECT_EQ(refused("POST / HTTP/1.1\r\nContent-Length: 5000\r\n\r\n"),
            "413{\"error\":\"the body is larger than 1024 bytes\"}");
  EXPECT_EQ(refused("GET /" + std::string(9000, 'x') + " HTTP/1.1\r\n\r\n"),
            "431{\"error\":\"the header is longer than 8192 bytes\"}");
  EXPECT_EQ(refused("GET / HTTP/1.1\r\n\r\n"), "504{\"error\":\"the answer took too long\"}");
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
      EXPECT_EQ(Get(), "/live Bearer x") << i;
    }
  }
  // Those that came first have made room.
  EXPECT_EQ(held.front()->ReadAll(), "");
}

TEST_F(HttpServerTest, AHostThatTakesAllPlacesKeepsNobodyElseOut) {
  options_.patience = std::chrono::hours(1);
  options_.max_connections_per_peer = options_.max_connections;
  Start();
  const Socket before(server_->port());
  before.Send("GET /before HTTP/1.1\r\n");
  std::vector<std::unique_ptr<Socket>> held;
  for (int i = 0; i < 100; ++i) {
    held.push_back(std::make_unique<Socket>(server_->port(), 2));
    held.back()->Send("GET /metrics HTTP/1.1\r\nX-Slow: ");
  }
  EXPECT_EQ(held[79]->ReadAll(), "") << "all have been taken in";
  EXPECT_EQ(Get(), "/live Bearer x");
  before.Send("Connection: close\r\n\r\n");
  EXPECT_EQ(before.ReadAll().substr(9, 3), "200") << "those who have few keep what they have";
}

TEST_F(HttpServerTest, ALargeBodyIsForWhoMayBringIt) {
  Start();
  httplib::Client client("127.0.0.1", server_->port());
  const std::string body(100'000, 'x');
  EXPECT_EQ(client.Post("/large", body, "text/plain")->body, "/large " + body);
  EXPECT_EQ(client.Post("/live", body, "text/plain")->status, 413);
  EXPECT_EQ(client.Post("/known", body, "text/plain")->status, 401);
  EXPECT_EQ(client.Post("/known", "x", "text/plain")->status, 200);
  EXPECT_EQ(Ask("POST /large HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n"
                "Connection: close\r\n\r\nabc")
                .substr(9, 3),
            "100");
}

// Requests that are answered when the test says so.
class HeldTest : public HttpServerTest {
 protected:
  HeldTest() {
    handler_.answer = [this](HttpRequest request, HttpRespond respond) {
      const std::lock_guard<std::mutex> lock(mu_);
      held_.emplace_back(std::move(request), std::move(respond));
    };
  }

  // The request that came as this one, once it has.
  std::pair<HttpRequest, HttpRespond>& Held(std::size_t index) {
    for (;;) {
      const std::lock_guard<std::mutex> lock(mu_);
      if (held_.size() > index) return held_[index];
    }
  }

  std::mutex mu_;
  std::deque<std::pair<HttpRequest, HttpRespond>> held_;
};

TEST_F(HeldTest, BodiesTogetherAreBounded) {
  options_.max_bodies_bytes = 150'000;
  Start();
  const std::string post =
      "POST /large HTTP/1.1\r\nContent-Length: 100000\r\n"
      "Connection: close\r\n\r\n";
  const Socket first(server_->port());
  first.Send(post + std::string(100'000, 'x'));
  Held(0);
  EXPECT_EQ(Ask(post).substr(9, 3), "503");
  Held(0).second({});
  EXPECT_EQ(first.ReadAll().substr(9, 3), "200");
  const Socket second(server_->port());
  second.Send(post + std::string(100'000, 'y'));
  EXPECT_EQ(Held(1).first.body, std::string(100'000, 'y'));
}

TEST_F(HeldTest, AChunkedBodyCountsAsItComes) {
  options_.max_bodies_bytes = 250'000;
  Start();
  const Socket first(server_->port());
  first.Send("POST /large HTTP/1.1\r\nContent-Length: 200000\r\nConnection: close\r\n\r\n" +
             std::string(200'000, 'x'));
  Held(0);
  const std::string head =
      "POST /large HTTP/1.1\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n";
  const std::string chunk = "13880\r\n" + std::string(80'000, 'y') + "\r\n";
  EXPECT_EQ(Ask(head + chunk).substr(9, 3), "503");
  Held(0).second({});
  EXPECT_EQ(first.ReadAll().substr(9, 3), "200");
  const Socket second(server_->port());
  second.Send(head + chunk + "0\r\n\r\n");
  EXPECT_EQ(Held(1).first.body, std::string(80'000, 'y'));
}

TEST_F(HeldTest, AnAnswerMayTakeItsTime) {
  options_.longest_answer = std::chrono::seconds(2);
  Start();
  HttpAnswer answer;
  answer.body = "late";
  const Socket patient(server_->port());
  patient.Send("GET /a HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_FALSE(Held(0).first.gone());
  Held(0).second(answer);
  Held(0).second(answer);  // a second time is nothing
  const std::string answered = patient.ReadAll();
  EXPECT_EQ(answered.substr(answered.size() - 4), "late");
  EXPECT_EQ(Ask("GET /b HTTP/1.1\r\n\r\n").substr(9, 3), "504");
  EXPECT_TRUE(Held(1).first.gone());
  Held(1).second(answer);
  const Socket left(server_->port());
  left.Send("GET /c HTTP/1.1\r\n\r\n");
  Held(2);
  server_.reset();
  EXPECT_TRUE(Held(2).first.gone());
  Held(2).second(answer);  // there is nobody
}

TEST_F(HeldTest, WhoHasAllPlacesAnsweredGivesThemUpForOthersOnly) {
  options_.patience = options_.longest_answer = std::chrono::hours(1);
  options_.max_connections = options_.max_connections_per_peer = 10;
  Start();
  std::vector<std::unique_ptr<Socket>> asking;
  for (std::size_t i = 0; i < 10; ++i) {
    asking.push_back(std::make_unique<Socket>(server_->port(), 2));
    asking.back()->Send("GET / HTTP/1.1\r\n\r\n");
    Held(i);
  }
  EXPECT_EQ(Socket(server_->port(), 2).ReadAll(), "");
  const Socket other(server_->port());
  other.Send("GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
  Held(10).second({});
  EXPECT_EQ(other.ReadAll().substr(9, 3), "200");
  EXPECT_EQ(asking[0]->ReadAll(), "");
  EXPECT_TRUE(Held(0).first.gone());
  EXPECT_FALSE(Held(1).first.gone());
}

TEST_F(HttpServerTest, SaysWhyItCannotListen) {
  Start();
  HttpOptions same = options_;
  same.port = server_->port();
  const auto second = HttpServer::Start(same, handler_);
  EXPECT_TRUE(absl::IsUnavailable(second.status()));
}

TEST_F(HttpServerTest, StopsWithConnectionsOpen) {
  options_.patience = std::chrono::hours(1);
  Start();
  const Socket idle(server_->port()), slow(server_->port());
  slow.Send("GET / HT");
  EXPECT_EQ(Get(), "/live Bearer x");
  server_.reset();
  EXPECT_EQ(idle.ReadAll(), "");
}

}  // namespace
}  // namespace prequel::http_server_test
