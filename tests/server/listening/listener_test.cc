#include "server/listening/listener.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

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

// Keeps what it is given.
class Keeper final : public Listener::Acceptor {
 public:
  void HandleNewConnection(NewConnectionParameters* connection) override {
    kept_.emplace_back(connection->fd);
    last_ = connection->fd;
  }
  // What has come on the last, so that more can come.
  void Read() const {
    constexpr std::size_t kMuch = 1 << 20;
    while (recv(last_, nullptr, kMuch, MSG_TRUNC | MSG_DONTWAIT) > 0) continue;
  }

 private:
  std::vector<Socket> kept_;
  std::atomic<int> last_ = -1;
};

enum class Process { kSmall, kLarge };

// The process grows, by as much as is `accounted` for or by more, and ever more arrives on a
// connection, until that is ended or the process has grown by 400 MB.
bool EndsWhatArrives(Process process, std::int64_t accounted) {
  Arrivals arrivals;
  constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  auto listener = Listener::Open({"127.0.0.1", 0}, {},
                                 {.arrivals = arrivals,
                                  .accounted = [accounted] { return accounted; },
                                  .most = kNever,
                                  .resident = process == Process::kLarge ? 0 : kNever});
  if (!listener.ok()) return false;
  auto keeper = std::make_unique<Keeper>();
  const Keeper& kept = *keeper;
  (*listener)->Start(std::move(keeper));
  Socket client;
  client.Connect(AddressOf("127.0.0.1", (*listener)->port()));
  client.Send(100'000);
  std::vector<std::string> grown;
  while (!client.Ended() && grown.size() < 100) {
    client.Send(20'000);
    kept.Read();
    grown.emplace_back(4 << 20, 'x');
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const bool ended = client.Ended();
  (*listener)->Stop();
  return ended;
}

TEST(ListenerTest, EndsWhoSendsWhileALargeProcessGrowsByWhatNothingExplains) {
  EXPECT_TRUE(EndsWhatArrives(Process::kLarge, 0));
}

TEST(ListenerTest, EndsWhoSendsWhileASmallOneGrowsByMuchAgainAndAgain) {
  EXPECT_TRUE(EndsWhatArrives(Process::kSmall, 0));
}

TEST(ListenerTest, LeavesWhoSendsWhileTheProcessGrowsByWhatIsKnown) {
  EXPECT_FALSE(EndsWhatArrives(Process::kLarge, std::int64_t{1} << 40));
}

}  // namespace
}  // namespace prequel
