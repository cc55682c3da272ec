// A few histories; `./dev accept durability.readers` makes many more, on RocksDB too.
#include "tests/server/engine/reader_histories.h"

#include <gtest/gtest.h>

#include <memory>

#include "tests/server/storage/memory_store.h"

namespace prequel::reader_histories_test {
namespace {

TEST(ReaderHistoriesTest, EveryReadIsLinearizable) {
  ReaderHistories total;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const auto store = MemoryStore::Open(std::make_shared<MemoryDisk>()).value();
    const ReaderHistories one = CheckReaders(*store, {.seed = seed});
    ASSERT_EQ(one.problem, "") << "seed " << seed;
    total.Add(one);
  }
  // It has met what it is about.
  EXPECT_EQ(total.writes, 4 * 2 * 150);
  EXPECT_GT(total.rollbacks, 3);
  EXPECT_GT(total.forks, 3);
  EXPECT_GT(total.reads, 500);
  EXPECT_GT(total.past_reads, 3);
}

}  // namespace
}  // namespace prequel::reader_histories_test
