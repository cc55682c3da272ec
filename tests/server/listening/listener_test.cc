#include "server/listening/listener.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "tests/server/listening/loopback.h"

namespace prequel {
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
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while ((*listener)->open() == 0 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_GT((*listener)->open(), 0) << "as it looks, it sees the one that is kept";
  goes_on = (*listener)->open() > 0;
  (*listener)->Stop();
}

}  // namespace
}  // namespace prequel
