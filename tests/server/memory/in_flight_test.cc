#include "server/memory/in_flight.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "server/memory/shortage.h"

namespace prequel {
namespace {

TEST(InFlightTest, OneCallerHasAtMostHalf) {
  InFlight memory(100);
  InFlight::Share share = memory.Join("greedy");
  EXPECT_TRUE(share.Take(50).ok());
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
    shares.push_back(memory.Join("greedy"));
    if (!shares.back().Take(100).ok()) break;
  }
  EXPECT_EQ(memory.used(), 500);
  InFlight::Share other = memory.Join("other");
  EXPECT_TRUE(other.Take(250).ok());
  EXPECT_FALSE(memory.Join("third").Take(126).ok());
  EXPECT_TRUE(memory.Join("third").Take(125).ok());
}

TEST(InFlightTest, WhatIsGivenBackCanBeTaken) {
  InFlight memory(100);
  {
    InFlight::Share share = memory.Join("a");
    ASSERT_TRUE(share.Take(40).ok());
    share.Count(70);  // there already
    EXPECT_EQ(memory.used(), 110);
    EXPECT_FALSE(memory.Join("b").Take(1).ok());
    share.GiveBack(90);
    EXPECT_TRUE(memory.Join("b").Take(30).ok());
    const InFlight::Share moved = std::move(share);
    EXPECT_EQ(memory.used(), 20);
  }
  EXPECT_EQ(memory.used(), 0);
  EXPECT_TRUE(InFlight::Share().Take(1 << 30).ok()) << "of no budget";
}

}  // namespace
}  // namespace prequel
