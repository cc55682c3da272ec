#include "server/listening/open_calls.h"

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "server/listening/connection_table.h"
#include "tests/server/await.h"
#include "tests/server/listening/http2_client.h"

namespace prequel::open_calls_test {
namespace {

// A server of gRPC, which has health's methods.
class Served {
 public:
  explicit Served(const std::string& host) : host_(host) {
    grpc::EnableDefaultHealthCheckService(true);
    const bool v6 = host.find(':') != host.npos;
    grpc::ServerBuilder builder;
    builder.RegisterCallbackGenericService(&none_);
    builder.AddListeningPort((v6 ? "[" + host + "]" : host) + ":0",
                             grpc::InsecureServerCredentials(), &port_);
    server_ = builder.BuildAndStart();
  }

  // False: it has no such address.
  bool serves() const { return server_ != nullptr && port_ != 0; }
  Http2Client Connect() const { return Http2Client(AddressOf(host_, port_)); }

 private:
  const std::string host_;
  int port_ = 0;
  grpc::CallbackGenericService none_;  // a server has a service
  std::unique_ptr<grpc::Server> server_;
};

std::int64_t Look(OpenCalls& calls, const Http2Client& client) {
  calls.Look();
  const OpenCalls::ByPeer by_peer = calls.by_peer();
  const auto found = by_peer.find(EndpointOf(client.Address()));
  return found == by_peer.end() ? 0 : found->second;
}

void CountsFrom(const std::string& host) {
  const Served served(host);
  if (!served.serves()) GTEST_SKIP() << "this machine has no " << host;
  OpenCalls calls;
  Http2Client one = served.Connect(), other = served.Connect();
  one.Begin(100);
  other.Begin(7);
  EXPECT_TRUE(Await([&] { return Look(calls, one) == 100 && Look(calls, other) == 7; }));
  EXPECT_EQ(calls.all(), 107);
}

TEST(OpenCallsTest, CountsThoseWhoseMessageNeverComes) { CountsFrom("127.0.0.1"); }

TEST(OpenCallsTest, CountsThemFromIpv6) { CountsFrom("::1"); }

TEST(OpenCallsTest, CountsNoneOnceTheyAreLetGo) {
  const Served served("127.0.0.1");
  OpenCalls calls;
  Http2Client client = served.Connect();
  client.Begin(100);
  client.Reset(60);
  EXPECT_TRUE(Await([&] { return Look(calls, client) == 40; }));
  client.Reset(40);
  EXPECT_TRUE(Await([&] { return Look(calls, client) == 0; }));
  EXPECT_EQ(calls.connections(), 1);
}

TEST(OpenCallsTest, ForgetsConnectionsThatAreGone) {
  const Served served("127.0.0.1");
  OpenCalls calls(2);
  std::vector<Http2Client> clients;
  for (int i = 0; i < 7; ++i) clients.push_back(served.Connect());
  for (Http2Client& client : clients) client.Begin(10);
  const auto looks = [&](std::size_t connections) {
    return Await([&] {
      calls.Look();
      return calls.connections() == connections;
    });
  };
  ASSERT_TRUE(looks(7));
  clients.erase(clients.begin(), clients.begin() + 3);
  ASSERT_TRUE(looks(4));
  clients.clear();
  ASSERT_TRUE(looks(0));
  EXPECT_EQ(calls.all(), 0);
}

TEST(OpenCallsTest, AsksAboutSoManyConnectionsAtOnce) {
  const Served served("127.0.0.1");
  OpenCalls all, some(2);
  std::vector<Http2Client> clients;
  for (int i = 0; i < 5; ++i) clients.push_back(served.Connect());
  ASSERT_TRUE(Await([&] {
    all.Look();
    return all.connections() == 5;
  }));
  for (const std::size_t known : {2, 4, 5, 5}) {
    some.Look();
    EXPECT_EQ(some.connections(), known);
  }
}

TEST(OpenCallsTest, IsOfTheNewestServer) {
  const Served before("127.0.0.1"), served("127.0.0.1");
  OpenCalls calls;
  Http2Client elsewhere = before.Connect(), client = served.Connect();
  elsewhere.Begin(1);
  client.Begin(1);
  EXPECT_TRUE(Await([&] { return Look(calls, client) == 1; }));
  EXPECT_EQ(Look(calls, elsewhere), 0);
}

}  // namespace
}  // namespace prequel::open_calls_test
