#include "client/data/schema/distinct_count.h"

#include <gtest/gtest.h>

#include <string>

namespace prequel::client::distinct_count_test {
namespace {

TEST(DistinctCountTest, IsExactWhileFew) {
  DistinctCount distinct;
  for (std::uint64_t i = 0; i < 1'000; ++i) distinct.Add(HashOf(std::to_string(i % 511)));
  EXPECT_TRUE(distinct.exact());
  EXPECT_EQ(distinct.count(), 511);
}

TEST(DistinctCountTest, IsCloseWhenMany) {
  DistinctCount distinct;
  for (std::uint64_t i = 0; i < 300'000; ++i) distinct.Add(HashOf(std::to_string(i % 100000)));
  EXPECT_FALSE(distinct.exact());
  EXPECT_NEAR(static_cast<double>(distinct.count()), 100'000, 10'000);
}

}  // namespace
}  // namespace prequel::client::distinct_count_test
