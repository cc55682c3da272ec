#include "client/backoff.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "client/unique_id.h"

namespace prequel::client::backoff_test {
namespace {

using std::chrono::milliseconds;

constexpr RetryOptions kOptions{milliseconds(100), milliseconds(1000), milliseconds(60'000)};

TEST(BackoffTest, DoublesUpToTheLongest) {
  const Backoff::Clock::time_point start;
  Backoff backoff(kOptions, start);
  for (const int full : {100, 200, 400, 800, 1000, 1000}) {
    const auto pause = backoff.Next(start);
    ASSERT_TRUE(pause.has_value());
    EXPECT_GE(pause->count(), full / 2);
    EXPECT_LE(pause->count(), full);
  }
}

TEST(BackoffTest, NoTwoClientsWaitAlike) {
  std::set<std::int64_t> pauses;
  for (int i = 0; i < 50; ++i) {
    Backoff backoff({milliseconds(1'000'000)});
    pauses.insert(backoff.Next()->count());
  }
  EXPECT_GT(pauses.size(), 45u);
}

TEST(BackoffTest, GivesUpWithoutProgress) {
  Backoff::Clock::time_point now;
  Backoff backoff(kOptions, now);
  now += milliseconds(59'999);
  EXPECT_TRUE(backoff.Next(now).has_value());
  backoff.Reset(now);
  now += milliseconds(59'999);
  EXPECT_LE(backoff.Next(now)->count(), 100) << "begins anew";
  now += milliseconds(1);
  EXPECT_FALSE(backoff.Next(now).has_value());
  EXPECT_FALSE(Backoff({.give_up = milliseconds(0)}).Next().has_value());
}

TEST(UniqueIdTest, IsUnique) {
  std::set<std::string> ids;
  for (int i = 0; i < 1000; ++i) ids.insert(UniqueId());
  EXPECT_EQ(ids.size(), 1000u);
  EXPECT_EQ(ids.begin()->size(), 32u);
}

}  // namespace
}  // namespace prequel::client::backoff_test
