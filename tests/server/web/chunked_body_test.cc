// Bodies that come in chunks, without a length.
#include <gtest/gtest.h>
#include <httplib.h>

#include <string>
#include <vector>

#include "tests/server/web/http_fixture.h"

namespace prequel::chunked_body_test {
namespace {

class ChunkedBodyTest : public HttpServerTest {
 protected:
  static std::string Head(const std::string& path, const std::string& more = "") {
    return "POST " + path + " HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" + more + "\r\n";
  }
  static std::string Chunk(const std::string& data) {
    char size[20];
    std::snprintf(size, sizeof(size), "%zx", data.size());
    return size + ("\r\n" + data + "\r\n");
  }
  std::string StatusOf(const std::string& request) const {
    const std::string answer = Ask(request);
    return answer.empty() ? answer : answer.substr(9, 3);
  }
};

TEST_F(ChunkedBodyTest, IsABodyLikeAnyOther) {
  Start();
  const std::string close = "Connection: close\r\n";
  const auto body_of = [this](const std::string& request) {
    const std::string answer = Ask(request);
    EXPECT_EQ(answer.substr(9, 3), "200") << answer;
    return answer.substr(answer.find("\r\n\r\n") + 4);
  };
  EXPECT_EQ(body_of(Head("/a", close) + Chunk("one") + Chunk(" two") + "0\r\n\r\n"), "/a one two");
  EXPECT_EQ(body_of(Head("/a", close) + "0\r\n\r\n"), "/a ");
  const std::string large(300'000, 'x');
  EXPECT_EQ(body_of(Head("/large", close) + Chunk(large) + Chunk("y") + "0\r\n\r\n"),
            "/large " + large + "y");
  // What stands beside the sizes and behind the end has no say in the request.
  EXPECT_EQ(
      body_of(Head("/a", close) + "3;note=\"x\"\r\none\r\n0\r\nAuthorization: Bearer x\r\n\r\n"),
      "/a one");
  EXPECT_EQ(body_of(Head("/a") + Chunk("one") + "0\r\n\r\nGET /b HTTP/1.1\r\n" + close + "\r\n")
                .substr(0, 6),
            "/a one");
  const std::string waited = Ask(Head("/a", close + "Expect: 100-continue\r\n") + "0\r\n\r\n");
  EXPECT_EQ(waited.substr(9, 3), "100");
  httplib::Client client("127.0.0.1", server_->port());
  const auto provide = [](std::size_t offset, httplib::DataSink& sink) {
    offset < 5'000 ? static_cast<void>(sink.write("12345", 5)) : sink.done();
    return true;
  };
  const httplib::Result sent = client.Post("/large", provide, "text/plain");
  ASSERT_TRUE(sent);
  EXPECT_EQ(sent->body.size(), 5'000U + 7);
}

TEST_F(ChunkedBodyTest, IsBoundedLikeAnyOther) {
  options_.max_body_bytes = 4'000;
  Start();
  const std::string half(2'000, 'x'), small(600, 'x');
  EXPECT_EQ(StatusOf(Head("/large") + Chunk(half) + Chunk(half) + Chunk("x")), "413");
  EXPECT_EQ(StatusOf(Head("/small") + Chunk(small) + Chunk(small)), "413");
  EXPECT_EQ(StatusOf(Head("/known") + Chunk(small) + Chunk(small)), "401");
  EXPECT_EQ(StatusOf(Head("/large") + "fffffffffffffff0\r\n"), "413") << "as soon as it is said";
  EXPECT_EQ(Get(), "/live Bearer x");
}

TEST_F(ChunkedBodyTest, IsRefusedWhereItIsNone) {
  Start();
  for (const std::string& bad :
       {std::string("x\r\n"), std::string("-1\r\n"), std::string("3\r\nfour\r\n0\r\n\r\n"),
        std::string("3 \r\nabc\r\n"), std::string("11111111111111111\r\n"),
        "1;" + std::string(20'000, 'x'), "0\r\nX: " + std::string(20'000, 'x'),
        std::string("0\r\nContent-Length: 3\r\n\r\nabc")}) {
    EXPECT_EQ(StatusOf(Head("/large") + bad), "400") << bad.substr(0, 20);
  }
  EXPECT_EQ(StatusOf(Head("/a", "Content-Length: 3\r\n") + "abc"), "400");
  for (const char* encoding : {"gzip", "gzip, chunked", "identity", "chunked, gzip"}) {
    const std::string answer =
        Ask("POST /a HTTP/1.1\r\nTransfer-Encoding: " + std::string(encoding) +
            "\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n");
    EXPECT_EQ(answer.substr(9, 3), "501") << encoding;
    EXPECT_EQ(answer.find("smuggled"), std::string::npos) << encoding;
  }
  EXPECT_EQ(Ask(Head("/large") + "3\r\nab"), "") << "its end does not come";
  EXPECT_EQ(Get(), "/live Bearer x");
}

}  // namespace
}  // namespace prequel::chunked_body_test
