#include "server/rpc/learning/open_streams.h"

#include <gtest/gtest.h>

#include <vector>

namespace prequel::open_streams_test {
namespace {

using Added = OpenStreams::Added;

class CountingStream final : public DrainableStream {
 public:
  void Drain() override { ++drained; }
  void Revisit() override { ++revisited; }
  int drained = 0, revisited = 0;
};

TEST(OpenStreamsTest, OneCallerLeavesAsManyAsItHas) {
  OpenStreams open(8);
  std::vector<CountingStream> greedy(5), others(5);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(open.Add(&greedy[i], "greedy"), Added::kYes) << i;
  EXPECT_EQ(open.Add(&greedy[4], "greedy"), Added::kTooMany);
  EXPECT_EQ(open.Add(&others[0], "a"), Added::kYes);
  EXPECT_EQ(open.Add(&others[1], "b"), Added::kYes);
  open.Remove(&greedy[4]);  // which is not there
  open.Remove(&greedy[0]);
  EXPECT_EQ(open.Add(&greedy[0], "greedy"), Added::kTooMany) << "it has as many as are left";
  open.Remove(&greedy[1]);
  EXPECT_EQ(open.Add(&greedy[0], "greedy"), Added::kYes);
}

TEST(OpenStreamsTest, ThoseThatAreOpenAreEnded) {
  OpenStreams open;
  CountingStream kept, removed, late;
  EXPECT_EQ(open.Add(&kept, "a"), Added::kYes);
  EXPECT_EQ(open.Add(&removed, "a"), Added::kYes);
  open.Remove(&removed);
  open.Revisit();
  open.Drain();
  EXPECT_EQ(kept.revisited, 1);
  EXPECT_EQ(kept.drained, 1);
  EXPECT_EQ(removed.drained, 0);
  EXPECT_EQ(open.Add(&late, "b"), Added::kDraining);
}

}  // namespace
}  // namespace prequel::open_streams_test
