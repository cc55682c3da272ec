#include "server/listening/listener.h"

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/server/await.h"
#include "tests/server/listening/http2_client.h"
#include "tests/server/listening/loopback.h"

namespace prequel::listener_test {
namespace {

// Somebody who connects again for each connection that is accepted: one always waits.
class Flood final : public Listener::Acceptor {
 public:
  Flood(int port, std::atomic<bool>& goes_on)
      : to_(AddressOf("127.0.0.1", port)), goes_on_(goes_on) {
    Connect();
  }
  void HandleNewConnection(NewConnectionParameters* connection) override {
    Socket accepted(connection->fd);
    if (kept_.fd() < 0) kept_ = std::move(accepted);
    if (goes_on_) Connect();
  }

 private:
  void Connect() {
    latest_ = Socket();
    latest_.Connect(to_);
  }

  const sockaddr_storage to_;
  std::atomic<bool>& goes_on_;
  Socket latest_, kept_{-1};
};

TEST(ListenerTest, LooksAndStopsBesideAFlood) {
  Arrivals arrivals;
  auto listener = Listener::Open({"127.0.0.1", 0}, {}, {.arrivals = arrivals});
  ASSERT_TRUE(listener.ok()) << listener.status();
  std::atomic<bool> goes_on = true;
  (*listener)->Start(std::make_unique<Flood>((*listener)->port(), goes_on));
  EXPECT_TRUE(Await([&] { return (*listener)->open() > 0; }))
      << "as it looks, it sees the one that is kept";
  goes_on = (*listener)->open() > 0;
  (*listener)->Stop();
}

// A server of gRPC behind a listener.
class ListeningTest : public ::testing::Test {
 protected:
  static constexpr int kCalls = 256, kOfPeer = 2048;

  void SetUp() override {
    auto listener = Listener::Open({"127.0.0.1", 0}, {.calls = kCalls, .calls_per_peer = kOfPeer},
                                   {.arrivals = arrivals_, .most = kNever, .resident = kNever});
    ASSERT_TRUE(listener.ok()) << listener.status();
    listener_ = *std::move(listener);
    grpc::EnableDefaultHealthCheckService(true);
    grpc::ServerBuilder builder;
    builder.RegisterCallbackGenericService(&none_);
    auto acceptor = builder.experimental().AddExternalConnectionAcceptor(
        grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD,
        grpc::InsecureServerCredentials());
    grpc_ = builder.BuildAndStart();
    ASSERT_NE(grpc_, nullptr);
    listener_->Start(std::move(acceptor));
  }
  void TearDown() override {
    listener_->Stop();
    grpc_->Shutdown();
  }

  Http2Client Connect(const std::string& from) const {
    return Http2Client(AddressOf("127.0.0.1", listener_->port()), from);
  }

  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  grpc::CallbackGenericService none_;  // a server has a service
  Arrivals arrivals_;
  std::unique_ptr<Listener> listener_;
  std::unique_ptr<grpc::Server> grpc_;
};

TEST_F(ListeningTest, EndsAHostWithTooManyCallsWhoseMessageNeverComes) {
  Http2Client honest = Connect("127.0.0.1");
  honest.Begin(kCalls);
  std::vector<Http2Client> flood;
  for (int i = 0; i <= kOfPeer / kCalls; ++i) flood.push_back(Connect("127.0.0.9"));
  for (Http2Client& client : flood) client.Begin(kCalls);
  for (const Http2Client& client : flood) EXPECT_TRUE(Await([&] { return client.Ended(); }));
  EXPECT_TRUE(Await([&] { return listener_->calls() == kCalls; })) << listener_->calls();
  EXPECT_FALSE(honest.Ended());
  EXPECT_EQ(listener_->floods(), 1);
  EXPECT_EQ(listener_->held() - listener_->arriving(), kCalls * OpenCalls::kBytes);
}

TEST_F(ListeningTest, EndsAHostWithMoreCallsOnAConnectionThanItMayHave) {
  Http2Client flood = Connect("127.0.0.9");
  flood.Begin(kCalls + ConnectionTable::kGivenUp + 1);
  EXPECT_TRUE(Await([&] { return flood.Ended(); }));
  EXPECT_TRUE(Await([&] { return listener_->floods() == 1; }));
}

TEST_F(ListeningTest, LeavesHonestClientsWithManyCalls) {
  std::vector<Http2Client> honest;
  for (int i = 0; i < kOfPeer / kCalls; ++i) {
    honest.push_back(Connect("127.0.0.9"));
    honest.back().Begin(kCalls);
  }
  ASSERT_TRUE(Await([&] { return listener_->calls() == kOfPeer; }));
  Http2Client other = Connect("127.0.0.1");  // it looks again
  other.Begin(1);
  ASSERT_TRUE(Await([&] { return listener_->calls() == kOfPeer + 1; }));
  for (const Http2Client& client : honest) EXPECT_FALSE(client.Ended());
  EXPECT_EQ(listener_->floods(), 0);
}

}  // namespace
}  // namespace prequel::listener_test
