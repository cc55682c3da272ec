#include "server/memory/in_flight.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "server/memory/shortage.h"

namespace prequel::in_flight_test {
namespace {

TEST(InFlightTest, OneCallerHasAtMostHalf) {
  InFlight memory(100);
  InFlight::Share share = memory.Join("greedy", "");
  share.Count(50);
  const absl::Status refused = share.Take(1);
  EXPECT_TRUE(absl::IsResourceExhausted(refused));
  const std::optional<Shortage> shortage = ShortageOf(refused);
  ASSERT_TRUE(shortage);
  EXPECT_EQ(shortage->budget, "in_flight");
  EXPECT_EQ(shortage->wanted, 1);
  EXPECT_EQ(shortage->yours, 50);
  EXPECT_EQ(shortage->used, 50);
  EXPECT_EQ(shortage->limit, 100);
  EXPECT_GT(shortage->retry_after.count(), 0);
  EXPECT_EQ(memory.used(), 50);
}

TEST(InFlightTest, CallsOfOneCallerAreCountedTogetherAndOthersFindRoom) {
  InFlight memory(1000);
  std::vector<InFlight::Share> shares;
  for (int i = 0; i < 20; ++i) {
    shares.push_back(memory.Join("greedy", "its port " + std::to_string(i)));
    if (!shares.back().Take(50).ok()) break;
  }
  EXPECT_GT(memory.used(), 400);
  EXPECT_LE(memory.used(), 500) << "however many connections it has";
  InFlight::Share other = memory.Join("other", "");
  EXPECT_TRUE(other.Take(180).ok());
  EXPECT_FALSE(memory.Join("third", "").Take(200).ok());
  EXPECT_TRUE(memory.Join("third", "").Take(120).ok());
}

// One that takes all it can leaves something to the others of the same machine.
TEST(InFlightTest, ConnectionsOfOneCallerShareWhatItMayHave) {
  InFlight memory(800);
  InFlight::Share first = memory.Join("host", "first");
  while (first.Take(10).ok()) continue;
  EXPECT_EQ(memory.used(), 300);
  InFlight::Share second = memory.Join("host", "second");
  EXPECT_TRUE(second.Take(70).ok());
  EXPECT_FALSE(memory.Join("host", "second").Take(10).ok()) << "its calls are counted together";
  InFlight::Share elsewhere = memory.Join("another", "first");
  EXPECT_TRUE(elsewhere.Take(150).ok());
}

TEST(InFlightTest, WhatFitsOnlyAloneIsToBeTriedAgainAndWhatNeverFitsIsNot) {
  InFlight memory(800);
  InFlight::Share other = memory.Join("other", "");
  other.Count(400);
  InFlight::Share share = memory.Join("a", "");
  EXPECT_GT(ShortageOf(share.Take(300))->retry_after.count(), 0);
  EXPECT_EQ(ShortageOf(share.Take(301))->retry_after.count(), 0);
  EXPECT_EQ(memory.refused(), 2);
  other = {};
  EXPECT_TRUE(share.Take(300).ok());
}

TEST(InFlightTest, WhatIsGivenBackCanBeTaken) {
  InFlight memory(100);
  {
    InFlight::Share share = memory.Join("a", "");
    ASSERT_TRUE(share.Take(37).ok());
    share.Count(73);  // there already
    EXPECT_EQ(memory.used(), 110);
    EXPECT_FALSE(memory.Join("b", "").Take(1).ok());
    share.GiveBack(90);
    EXPECT_TRUE(memory.Join("b", "").Take(30).ok());
    const InFlight::Share moved = std::move(share);
    EXPECT_EQ(memory.used(), 20);
  }
  EXPECT_EQ(memory.used(), 0);
  EXPECT_TRUE(InFlight::Share().Take(1 << 30).ok()) << "of no budget";
}

}  // namespace
}  // namespace prequel::in_flight_test
