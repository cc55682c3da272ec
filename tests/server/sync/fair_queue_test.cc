#include "server/sync/fair_queue.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace prequel::fair_queue_test {
namespace {

const auto kAny = [](const std::string&, int) { return true; };

TEST(FairQueueTest, ALineIsServedInOrder) {
  FairQueue<int> queue;
  for (int i = 0; i < 5; ++i) queue.Push("a", i);
  for (int i = 0; i < 5; ++i) {
    const auto next = queue.Pop(kAny);
    ASSERT_TRUE(next);
    EXPECT_EQ(next->second, i);
    queue.Charge(1, kEvenShare, "a");
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
    queue.Charge(cost.at(next->first), kEvenShare, next->first);
    queue.Push(next->first, 0);
  }
  EXPECT_NEAR(used["heavy"], used["light"], 11);
}

// Others raise the floor while it runs: it is not lifted there and charged on top.
TEST(FairQueueTest, WhatGoesOnWhileOthersAreServedIsChargedOnce) {
  FairQueue<int> queue;
  queue.Push("long", 0);
  ASSERT_EQ(queue.Pop(kAny)->first, "long");
  for (int i = 0; i < 10; ++i) {
    queue.Push("short", i);
    ASSERT_EQ(queue.Pop(kAny)->first, "short");
    queue.Charge(1, kEvenShare, "short");
  }
  queue.Push("long", 1);  // a task posts itself again before it is charged
  queue.Charge(10, kEvenShare, "long");
  queue.Push("short", 10);
  queue.Push("short", 11);
  EXPECT_EQ(queue.Pop(kAny)->first, "long") << "both have used 10, and it waits longer";
  queue.Charge(1, kEvenShare, "long");
  EXPECT_EQ(queue.Pop(kAny)->first, "short");
}

TEST(FairQueueTest, NamesWithoutEndAreForgotten) {
  FairQueue<int> queue;
  queue.Push("honest", 0);
  ASSERT_TRUE(queue.Pop(kAny));
  queue.Charge(5, kEvenShare, "honest");
  queue.Push("honest", 1);
  int before = 0;
  std::string served;
  for (; served != "honest" && before < 100'000; ++before) {
    queue.Push("fresh " + std::to_string(before), 0);
    served = queue.Pop(kAny)->first;
    queue.Charge(1, kEvenShare, served);
    ASSERT_LE(queue.lines(), 5000U);
  }
  EXPECT_EQ(served, "honest");
}

TEST(FairQueueTest, WhatOneNameHasIsSharedEvenlyAmongItsOwn) {
  FairLines<FairQueue<int>> queue;
  const auto any = [](const std::string&, const std::string&, int) { return true; };
  for (int i = 0; i < 60; ++i) queue.Push("a", "heavy", i);
  for (int i = 0; i < 60; ++i) queue.Push("a", "light", i);
  for (int i = 0; i < 60; ++i) queue.Push("b", "x", i);
  std::map<std::string, int> served;
  for (int i = 0; i < 60; ++i) {
    const auto next = queue.Pop(any);
    ASSERT_TRUE(next);
    ++served[next->first + next->second.first];
    const double cost = next->second.first == "heavy" ? 4 : 1;
    queue.Charge(cost, kEvenShare, next->first, next->second.first);
  }
  EXPECT_NEAR(served["bx"], 4 * served["aheavy"] + served["alight"], 6);
  EXPECT_NEAR(served["alight"], 4 * served["aheavy"], 6);
}

TEST(FairQueueTest, LinesHaveTurnsByTheirShares) {
  FairQueue<int> queue;
  const std::map<std::string, int> shares = {{"a", 100}, {"b", 300}, {"c", 1}};
  std::map<std::string, int> turns;
  for (const auto& [name, share] : shares) queue.Push(name, 0);
  for (int i = 0; i < 4010; ++i) {
    const auto next = queue.Pop(kAny);
    ASSERT_TRUE(next);
    const std::string& name = next->first;
    ++turns[name];
    queue.Charge(1, shares.at(name), name);
    queue.Push(name, 0);
  }
  EXPECT_NEAR(turns["a"], 1000, 2);
  EXPECT_NEAR(turns["b"], 3000, 2);
  EXPECT_NEAR(turns["c"], 10, 1);
}

TEST(FairQueueTest, TheShareOfANameIsSharedEvenlyAmongItsOwn) {
  FairLines<FairQueue<int>> queue;
  const auto any = [](const std::string&, const std::string&, int) { return true; };
  for (int i = 0; i < 80; ++i) {
    queue.Push("a", "x", i);
    queue.Push("b", "x", i);
    queue.Push("b", "y", i);
  }
  std::map<std::string, int> served;
  for (int i = 0; i < 80; ++i) {
    const auto next = queue.Pop(any);
    ASSERT_TRUE(next);
    const auto& [name, item] = *next;
    ++served[name + item.first];
    queue.Charge(1, name == "b" ? 300 : 100, name, item.first);
  }
  EXPECT_NEAR(served["ax"], 20, 1);
  EXPECT_NEAR(served["bx"], 30, 1);
  EXPECT_NEAR(served["by"], 30, 1);
}

TEST(FairQueueTest, WhatIsOutMayBeChargedSoFar) {
  FairLines<FairQueue<int>> queue;
  const auto any = [](const std::string&, const std::string&, int) { return true; };
  for (int i = 0; i < 2; ++i) {
    queue.Push("a", "x", i);
    queue.Push("a", "y", i);
    queue.Push("b", "", i);
  }
  ASSERT_EQ(queue.Pop(any)->first, "a");
  queue.ChargeSoFar(2, kEvenShare, "a", "x");
  ASSERT_EQ(queue.Pop(any)->first, "b");
  queue.Charge(3, kEvenShare, "b", "");
  queue.Charge(2, kEvenShare, "a", "x");
  EXPECT_EQ(queue.Pop(any)->first, "b") << "4 in all is more than 3";
  queue.Charge(3, kEvenShare, "b", "");
  const auto next = queue.Pop(any);
  EXPECT_EQ(next->first, "a");
  EXPECT_EQ(next->second.first, "y") << "which has used nothing";
}

TEST(FairQueueTest, WhoWasAwayHasSavedNothing) {
  FairQueue<int> queue;
  queue.Push("away", 0);
  (void)queue.Pop(kAny);
  queue.Charge(1, kEvenShare, "away");
  queue.Push("here", 0);
  for (int i = 0; i < 100; ++i) {
    const auto next = queue.Pop(kAny);
    ASSERT_TRUE(next);
    queue.Charge(1, kEvenShare, "here");
    queue.Push("here", 0);
  }
  queue.Push("away", 0);
  queue.Push("away", 1);
  int in_a_row = 0;
  while (queue.Pop(kAny)->first == "away") {
    queue.Charge(1, kEvenShare, "away");
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
  EXPECT_EQ(queue.Pop(kAny)->second, 1);
}

}  // namespace
}  // namespace prequel::fair_queue_test
