#include "server/listening/connection_table.h"

#include <gtest/gtest.h>
#include <netinet/tcp.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <vector>

#include "tests/server/await.h"
#include "tests/server/listening/loopback.h"

namespace prequel::connection_table_test {
namespace {

constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kHundred = 100'000;

bool Add(ConnectionTable& table, const Pair& pair) {
  return table.Add(pair.server.fd(), pair.address);
}

// What has come whole on one connection.
Arrivals::ByPeer Whole(const Pair& pair, std::int64_t messages, std::int64_t bytes) {
  return {{EndpointOf(pair.address), {messages, bytes}}};
}

// Sends, while the other end reads: the kernel keeps no more than a few megabytes.
void Send(const Pair& pair, std::size_t bytes) {
  std::vector<char> buffer(kHundred);
  for (std::size_t sent = 0; sent < bytes; sent += kHundred) {
    pair.client.Send(std::min(kHundred, bytes - sent));
    while (recv(pair.server.fd(), buffer.data(), buffer.size(), MSG_DONTWAIT) > 0) continue;
  }
}

TEST(PeerTest, IsTheHostAndOfIpv6ItsNetwork) {
  EXPECT_EQ(PeerOf(AddressOf("10.0.0.1", 1)), PeerOf(AddressOf("10.0.0.1", 2)));
  EXPECT_NE(PeerOf(AddressOf("10.0.0.1", 1)), PeerOf(AddressOf("10.0.0.2", 1)));
  EXPECT_EQ(PeerOf(AddressOf("::ffff:10.0.0.1", 1)), PeerOf(AddressOf("10.0.0.1", 1)));
  EXPECT_EQ(PeerOf(AddressOf("2001:db8::1", 1)), PeerOf(AddressOf("2001:db8::ffff:2", 1)));
  EXPECT_NE(PeerOf(AddressOf("2001:db8::1", 1)), PeerOf(AddressOf("2001:db8:0:1::1", 1)));
}

TEST(PeerTest, PeopleCanReadIt) {
  EXPECT_EQ(HostOf(PeerOf(AddressOf("10.0.0.1", 1))), "10.0.0.1");
  EXPECT_EQ(HostOf(PeerOf(AddressOf("2001:db8::1", 1))), "2001:db8::/64");
}

TEST(PeerTest, HasTheNameThatGrpcGivesIt) {
  EXPECT_EQ(EndpointOf(AddressOf("10.0.0.1", 80)), "ipv4:10.0.0.1:80");
  EXPECT_EQ(EndpointOf(AddressOf("::ffff:10.0.0.1", 80)), "ipv4:10.0.0.1:80");
  EXPECT_EQ(EndpointOf(AddressOf("2001:db8::1", 80)), "ipv6:%5B2001:db8::1%5D:80");
  sockaddr_storage local = AddressOf("fe80::1", 80);
  reinterpret_cast<sockaddr_in6&>(local).sin6_scope_id = 2;
  EXPECT_EQ(EndpointOf(local), "ipv6:%5Bfe80::1%252%5D:80");
}

TEST(ConnectionTableTest, WhoHasItsShareMakesRoomOfItsOwn) {
  ConnectionTable table({.all = 10, .per_peer = 2, .idle = std::chrono::seconds(0)});
  const Pair first("127.0.0.9"), second("127.0.0.9"), third("127.0.0.9"), other("127.0.0.1");
  EXPECT_TRUE(Add(table, first));
  EXPECT_TRUE(Add(table, other));
  EXPECT_TRUE(Add(table, second));
  EXPECT_TRUE(Add(table, third));
  EXPECT_EQ(first.client.Ended() + second.client.Ended(), 1);
  EXPECT_FALSE(other.client.Ended());
  EXPECT_EQ(table.evicted(), 1);
}

TEST(ConnectionTableTest, WhenFullWhoHasTheMostMakesRoom) {
  ConnectionTable table({.all = 3, .idle = std::chrono::seconds(0)});
  const Pair other("127.0.0.1"), first("127.0.0.9"), second("127.0.0.9"), fresh("127.0.0.2");
  for (const Pair* pair : {&other, &first, &second}) EXPECT_TRUE(Add(table, *pair));
  EXPECT_TRUE(Add(table, fresh));
  EXPECT_EQ(first.client.Ended() + second.client.Ended(), 1);
  EXPECT_FALSE(other.client.Ended());
}

// How long nothing has come from a client.
std::chrono::milliseconds IdleFor(const Pair& pair) {
  tcp_info info{};
  socklen_t length = sizeof(info);
  EXPECT_EQ(getsockopt(pair.server.fd(), IPPROTO_TCP, TCP_INFO, &info, &length), 0);
  return std::chrono::milliseconds(info.tcpi_last_data_recv);
}

TEST(ConnectionTableTest, OfThoseThatHaveAsManyTheIdlestMakesRoom) {
  for (const bool first_is_idle : {true, false}) {
    ConnectionTable table({.all = 2, .idle = std::chrono::seconds(0)});
    const Pair first("127.0.0.1"), second("127.0.0.9"), fresh("127.0.0.2");
    for (const Pair* pair : {&first, &second}) EXPECT_TRUE(Add(table, *pair));
    const Pair& idle = first_is_idle ? first : second;
    const Pair& busy = first_is_idle ? second : first;
    EXPECT_TRUE(Await([&] {
      busy.client.Send(1);
      return IdleFor(idle) > IdleFor(busy) + std::chrono::milliseconds(20);
    }));
    EXPECT_TRUE(Add(table, fresh));
    EXPECT_TRUE(idle.client.Ended());
    EXPECT_FALSE(busy.client.Ended());
  }
}

TEST(ConnectionTableTest, WhoIsBusyMakesNoRoom) {
  ConnectionTable table({.all = 1});
  const Pair busy("127.0.0.1"), fresh("127.0.0.2");
  EXPECT_TRUE(Add(table, busy));
  EXPECT_FALSE(Add(table, fresh));
  EXPECT_FALSE(busy.client.Ended());
}

TEST(ConnectionTableTest, AFloodLooksForClosedOnesOnce) {
  ConnectionTable table({.all = 1});
  Pair first("127.0.0.1"), second("127.0.0.1");
  const Pair third("127.0.0.1");
  EXPECT_TRUE(Add(table, first));
  first.server = Socket(-1);
  EXPECT_TRUE(Add(table, second));
  second.server = Socket(-1);
  EXPECT_FALSE(Add(table, third)) << "it has looked";
  table.Police({}, kAny);
  EXPECT_TRUE(Add(table, third));
}

TEST(ConnectionTableTest, ADescriptorThatIsSomebodyElsesByNowIsLeftAlone) {
  ConnectionTable table({.all = 1, .idle = std::chrono::seconds(0)});
  const Pair first("127.0.0.1"), second("127.0.0.1"), third("127.0.0.1"), other("127.0.0.1");
  EXPECT_TRUE(Add(table, first));
  EXPECT_TRUE(Add(table, second));
  ASSERT_EQ(dup2(other.server.fd(), second.server.fd()), second.server.fd());
  EXPECT_TRUE(Add(table, third));
  EXPECT_FALSE(other.client.Ended());
}

TEST(PoliceTest, HoldsWhatHasNotComeWhole) {
  ConnectionTable table({});
  const Pair pair("127.0.0.1");
  ASSERT_TRUE(Add(table, pair));
  Send(pair, 3 * kHundred);
  table.Police({}, kAny);
  EXPECT_GT(table.arriving(), 280'000);
  EXPECT_LE(table.arriving(), 300'000);
  table.Police(Whole(pair, 1, 3 * kHundred), kAny);
  EXPECT_EQ(table.arriving(), 0);
}

TEST(PoliceTest, MessagesThatComeWholeDoNotHideWhatIsHeld) {
  ConnectionTable table({});
  const Pair pair("127.0.0.1");
  ASSERT_TRUE(Add(table, pair));
  Send(pair, 3 * kHundred);
  table.Police({}, kAny);
  for (int i = 0; i < 100; ++i) {
    Send(pair, 1000);
    table.Police(Whole(pair, 10, 100), kAny);
  }
  EXPECT_GT(table.arriving(), 250'000);
}

TEST(PoliceTest, WhatNobodyTellsOfFades) {
  ConnectionTable table({});
  const Pair pair("127.0.0.1");
  ASSERT_TRUE(Add(table, pair));
  Send(pair, 3 * kHundred);
  for (int i = 0; i < 30'000; ++i) table.Police({}, kAny);
  EXPECT_LT(table.arriving(), 1000);
}

TEST(PoliceTest, EndsThoseOfWhoHoldsTheMostNotTheLargest) {
  ConnectionTable table({});
  const Pair honest("127.0.0.1");
  ASSERT_TRUE(Add(table, honest));
  Send(honest, 2 * kHundred);
  std::vector<Pair> greedy;
  for (int i = 0; i < 4; ++i) greedy.emplace_back("127.0.0.9");
  for (const Pair& pair : greedy) {
    ASSERT_TRUE(Add(table, pair));
    Send(pair, kHundred);
  }
  table.Police({}, 450'000);
  int ended = 0;
  for (const Pair& pair : greedy) ended += pair.client.Ended();
  EXPECT_EQ(ended, 2);
  EXPECT_FALSE(honest.client.Ended());
  EXPECT_LE(table.arriving(), 450'000);
  EXPECT_EQ(table.evicted(), 2);
}

TEST(PoliceTest, EndsThoseOfWhoHasTheMostCalls) {
  ConnectionTable table({});
  const Pair honest("127.0.0.1"), greedy("127.0.0.9");
  for (const Pair* pair : {&honest, &greedy}) ASSERT_TRUE(Add(table, *pair));
  table.SetCalls({{EndpointOf(honest.address), 50}, {EndpointOf(greedy.address), 100}});
  table.Police({}, 150 * OpenCalls::kBytes);
  EXPECT_FALSE(greedy.client.Ended());
  table.Police({}, 149 * OpenCalls::kBytes);
  EXPECT_TRUE(greedy.client.Ended());
  EXPECT_FALSE(honest.client.Ended());
  EXPECT_EQ(table.arriving(), 0);
}

// Hosts, and the calls that a connection of each has.
class FloodTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t kCalls = 256, kOfPeer = 4096;

  const Pair& Connect(const std::string& from, std::int64_t calls) {
    const Pair& pair = pairs_.emplace_back(from);
    EXPECT_TRUE(Add(table_, pair));
    calls_[EndpointOf(pair.address)] = calls;
    return pair;
  }
  std::vector<Flood> End(ConnectionTable::Clock::time_point now = ConnectionTable::Clock::now()) {
    table_.SetCalls(calls_);
    return table_.EndFloods(now);
  }

  ConnectionTable table_{{.calls = kCalls, .calls_per_peer = kOfPeer}};
  OpenCalls::ByPeer calls_;
  std::deque<Pair> pairs_;
};

TEST_F(FloodTest, EndsAllOfAHostThatGaveUpTooMany) {
  const std::int64_t most = kCalls + ConnectionTable::kGivenUp;
  const Pair& honest = Connect("127.0.0.1", most);
  const Pair& flood = Connect("127.0.0.9", most);
  EXPECT_TRUE(End().empty());
  const Pair& another = Connect("127.0.0.9", kCalls + 1);
  const Pair& quiet = Connect("127.0.0.9", 0);
  const std::vector<Flood> floods = End();
  ASSERT_EQ(floods.size(), 1);
  EXPECT_EQ(floods[0].host, "127.0.0.9");
  EXPECT_EQ(floods[0].calls, most + kCalls + 1);
  EXPECT_EQ(floods[0].given_up, ConnectionTable::kGivenUp + 1);
  for (const Pair* pair : {&flood, &another, &quiet}) EXPECT_TRUE(pair->client.Ended());
  EXPECT_FALSE(honest.client.Ended());
  EXPECT_EQ(table_.open(), 1);
}

TEST_F(FloodTest, EndsAHostThatHasTooManyOpen) {
  for (int i = 0; i < 16; ++i) Connect("127.0.0.9", kCalls);
  EXPECT_TRUE(End().empty()) << "as many as it may have";
  Connect("127.0.0.9", 1);
  ASSERT_EQ(End().size(), 1);
  for (const Pair& pair : pairs_) EXPECT_TRUE(pair.client.Ended());
}

TEST_F(FloodTest, HostsDoNotShare) {
  for (const char* host : {"127.0.0.1", "127.0.0.8", "127.0.0.9"}) {
    for (int i = 0; i < 12; ++i) Connect(host, kCalls);
  }
  EXPECT_TRUE(End().empty());
}

TEST_F(FloodTest, TakesNoOthersOfTheHostForAWhile) {
  Connect("127.0.0.9", kOfPeer + 1);
  ASSERT_EQ(End().size(), 1);
  EXPECT_FALSE(Add(table_, Pair("127.0.0.9")));
  EXPECT_TRUE(Add(table_, Pair("127.0.0.1")));
}

TEST_F(FloodTest, TakesThemAfterwards) {
  Connect("127.0.0.9", kOfPeer + 1);
  ASSERT_EQ(End(ConnectionTable::Clock::now() - ConnectionTable::kShunned).size(), 1);
  EXPECT_TRUE(Add(table_, Pair("127.0.0.9")));
}

TEST_F(FloodTest, ThisHostGoesOnAndIsToldOfOnce) {
  Connect("127.0.0.1", kOfPeer + 1);
  EXPECT_EQ(End().size(), 1);
  const Pair& again = Connect("127.0.0.1", kOfPeer + 1);
  EXPECT_TRUE(End().empty());
  EXPECT_TRUE(again.client.Ended());
}

TEST_F(FloodTest, LeavesNothingToReadOfWhoIsEnded) {
  const Pair& flood = Connect("127.0.0.9", kOfPeer + 1);
  flood.client.Send(kHundred);
  ASSERT_EQ(End().size(), 1);
  char byte = 0;
  EXPECT_EQ(recv(flood.server.fd(), &byte, 1, MSG_DONTWAIT), 0);
}

}  // namespace
}  // namespace prequel::connection_table_test
