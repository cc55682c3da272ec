#include "server/listening/connection_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/server/listening/loopback.h"

namespace prequel {
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

TEST(ShunFloodsTest, EndsWhoHoldsTheMostAndTakesNoMoreOfTheirHostsForAWhile) {
  ConnectionTable table({});
  const Pair honest("127.0.0.1"), patient("127.0.0.9"), again("127.0.0.9");
  std::vector<Pair> flood;
  for (int i = 0; i < 3; ++i) flood.emplace_back("127.0.0.9");
  for (const Pair& pair : flood) {
    ASSERT_TRUE(Add(table, pair));
    Send(pair, kHundred);
  }
  for (const Pair* pair : {&honest, &patient}) {
    ASSERT_TRUE(Add(table, *pair));
    Send(*pair, 10'000);
  }
  table.Police({}, kAny);
  const auto now = ConnectionTable::Clock::now();
  table.ShunFloods(now);
  for (const Pair& pair : flood) EXPECT_TRUE(pair.client.Ended());
  EXPECT_FALSE(honest.client.Ended());
  EXPECT_FALSE(patient.client.Ended()) << "it holds as little as the honest one";
  EXPECT_LT(table.arriving(), 25'000);
  EXPECT_FALSE(Add(table, again));
  EXPECT_TRUE(Add(table, Pair("127.0.0.1")));
}

TEST(ShunFloodsTest, EndsWhatTheirHostsHaveWhenMoreArrives) {
  ConnectionTable table({});
  const Pair flood("127.0.0.9"), rest("127.0.0.9"), quiet("127.0.0.9"), other("127.0.0.8");
  for (const Pair* pair : {&flood, &rest, &quiet, &other}) ASSERT_TRUE(Add(table, *pair));
  Send(flood, kHundred);
  table.Police({}, kAny);
  table.ShunFloods(ConnectionTable::Clock::now());
  ASSERT_TRUE(flood.client.Ended());
  Send(rest, 20'000);
  Send(quiet, 10'000);
  Send(other, 20'000);
  table.Police({}, kAny);
  EXPECT_TRUE(rest.client.Ended());
  EXPECT_FALSE(quiet.client.Ended());
  EXPECT_FALSE(other.client.Ended());
  EXPECT_LT(table.arriving(), 35'000);
}

TEST(ShunFloodsTest, LeavesNothingToReadOfWhoIsEnded) {
  ConnectionTable table({});
  const Pair flood("127.0.0.9");
  ASSERT_TRUE(Add(table, flood));
  flood.client.Send(kHundred);
  table.Police({}, kAny);
  table.ShunFloods(ConnectionTable::Clock::now());
  char byte = 0;
  EXPECT_EQ(recv(flood.server.fd(), &byte, 1, MSG_DONTWAIT), 0);
}

TEST(ShunFloodsTest, IsOverAfterAWhile) {
  ConnectionTable table({});
  const Pair flood("127.0.0.9"), again("127.0.0.9");
  ASSERT_TRUE(Add(table, flood));
  Send(flood, kHundred);
  table.Police({}, kAny);
  table.ShunFloods(ConnectionTable::Clock::now() - ConnectionTable::kShunned);
  EXPECT_TRUE(flood.client.Ended());
  EXPECT_TRUE(Add(table, again));
}

TEST(ShunFloodsTest, KeepsNotOutWhoIsOnThisHost) {
  ConnectionTable table({});
  const Pair flood("127.0.0.1"), again("127.0.0.1");
  ASSERT_TRUE(Add(table, flood));
  Send(flood, kHundred);
  table.Police({}, kAny);
  table.ShunFloods(ConnectionTable::Clock::now());
  EXPECT_TRUE(flood.client.Ended());
  EXPECT_TRUE(Add(table, again));
}

TEST(ShunFloodsTest, ALittleIsNoFlood) {
  ConnectionTable table({});
  const Pair pair("127.0.0.1");
  ASSERT_TRUE(Add(table, pair));
  Send(pair, 50'000);
  table.Police({}, kAny);
  table.ShunFloods(ConnectionTable::Clock::now());
  EXPECT_FALSE(pair.client.Ended());
}

}  // namespace
}  // namespace prequel
