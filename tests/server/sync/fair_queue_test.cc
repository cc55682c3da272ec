#include "server/sync/fair_queue.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace prequel {
namespace {

const auto kAny = [](const std::string&, int) { return true; };

TEST(FairQueueTest, ALineIsServedInOrder) {
  FairQueue<int> queue;
  for (int i = 0; i < 5; ++i) queue.Push("a", i);
  for (int i = 0; i < 5; ++i) {
    const auto next = queue.Pop(kAny);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->second, i);
    queue.Charge("a", 1);
  }
  EXPECT_FALSE(queue.Pop(kAny));
}

TEST(FairQueueTest, WhatIsUsedIsSharedEvenlyHoweverLongEachItemIs) {
  FairQueue<int> queue;
  const std::map<std::string, double> cost = {{"heavy", 10}, {"light", 0.1}};
  std::map<std::string, double> used;
  for (const auto& [name, ignored] : cost) queue.Push(name, 0);
  for (int i = 0; i < 2000; ++i) {
    const auto next = queue.Pop(kAny);
    ASSERT_TRUE(next);
    used[next->first] += cost.at(next->first);
    queue.Charge(next->first, cost.at(next->first));
    queue.Push(next->first, 0);
  }
  EXPECT_NEAR(used["heavy"], used["light"], 11);
}

TEST(FairQueueTest, WhoWasAwayHasSavedNothing) {
  FairQueue<int> queue;
  queue.Push("away", 0);
  (void)queue.Pop(kAny);
  queue.Charge("away", 1);
  queue.Push("here", 0);
  for (int i = 0; i < 100; ++i) {
    const auto next = queue.Pop(kAny);
    ASSERT_TRUE(next);
    queue.Charge("here", 1);
    queue.Push("here", 0);
  }
  queue.Push("away", 0);
  queue.Push("away", 1);
  int in_a_row = 0;
  while (queue.Pop(kAny)->first == "away") {
    queue.Charge("away", 1);
    ++in_a_row;
    ASSERT_LE(in_a_row, 1);
  }
}

TEST(FairQueueTest, WhatGoesOnIsBeforeWhatBegins) {
  FairQueue<int> queue;
  queue.Push("a", 1);
  queue.PushFront("a", 0);
  EXPECT_EQ(queue.Pop(kAny)->second, 0);
  EXPECT_EQ(queue.Pop(kAny)->second, 1);
}

TEST(FairQueueTest, WhatMayNotBeginWaitsInItsPlace) {
  FairQueue<int> queue;
  queue.Push("a", 1);
  queue.Push("b", 2);
  const auto next = queue.Pop([](const std::string& name, int) { return name != "a"; });
  ASSERT_TRUE(next);
  EXPECT_EQ(next->second, 2);
  EXPECT_FALSE(queue.Pop([](const std::string&, int) { return false; }));
  EXPECT_EQ(queue.size(), 1U);
  EXPECT_EQ(queue.SizeOf("a"), 1U);
  EXPECT_EQ(queue.Pop(kAny)->second, 1);
}

}  // namespace
}  // namespace prequel
