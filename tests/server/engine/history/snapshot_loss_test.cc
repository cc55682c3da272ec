// Snapshots are never trusted blindly: power losses in the midst of one, damage, and full disks.
#include <atomic>
#include <string>
#include <vector>

#include "tests/server/engine/history/snapshot_fixture.h"

namespace prequel::snapshot_loss_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Code = absl::StatusCode;

class SnapshotLossTest : public SnapshotTest {};

TEST_F(SnapshotLossTest, ACrashAnywhereInOneLosesNothing) {
  options_.snapshots.keep = 1;
  const std::string expected = Uninterrupted(21);
  constexpr int kWrites = 3;  // its chunk, its head, the truncation
  for (int fatal = 1; fatal <= 2 * kWrites; ++fatal) {
    SCOPED_TRACE(fatal);
    disk_ = std::make_shared<MemoryDisk>();
    Start();
    ASSERT_TRUE(Create("a").ok());
    LearnMany("a", 0, 10, "p");
    ASSERT_TRUE(Take("a").ok());
    EXPECT_EQ(Records("a"), 1u);
    LearnMany("a", 10, 20, "p");
    const LogId log = Stored("a").log;
    std::atomic<int> left = (fatal + 1) / 2;
    const auto crash = [&] {
      if (--left == 0) disk_->Crash();
    };
    fatal % 2 == 1 ? disk_->OnWrite(crash) : disk_->OnWritten(crash);
    EXPECT_EQ(Take("a").ok(), fatal > 4) << "committed, whatever becomes of the truncation";
    disk_->OnWrite(nullptr);
    disk_->OnWritten(nullptr);
    EXPECT_LE(left, 0);
    EXPECT_EQ(disk_->records(log), 11u) << "nothing of it was synced";
    Start();
    EXPECT_THAT(snapshots_.lost(), IsEmpty());
    EXPECT_THAT(Offsets("a"), ElementsAre(fatal < 4 ? 10 : 20));
    LearnMany("a", 20, 21, "p");
    EXPECT_EQ(StateBytes("a"), expected);
    ASSERT_TRUE(Take("a").ok());
    EXPECT_EQ(Records("a"), 1u) << "the next one makes up for it";
  }
}

TEST_F(SnapshotLossTest, ALogThatEndsBeforeItsSnapshotGoesOnBehindIt) {
  const std::string expected = Uninterrupted(30);
  disk_ = std::make_shared<MemoryDisk>();
  Start();
  ASSERT_TRUE(Create("a").ok());
  LearnMany("a", 0, 20, "p");
  ASSERT_TRUE(Take("a").ok());
  const LogId log = Stored("a").log;
  Stop();
  for (const std::uint64_t offset : {17, 18, 19}) disk_->LoseRecord(log, offset);
  Start();
  EXPECT_EQ(engine_->GetPublished("a")->next_offset, 20u);
  LearnMany("a", 20, 25, "p");
  Start();
  LearnMany("a", 25, 30, "p");
  EXPECT_EQ(StateBytes("a"), expected);
  Start();
  EXPECT_EQ(StateBytes("a"), expected);
}

TEST_F(SnapshotLossTest, ADamagedOneIsNamedAndTheOneBeforeIsUsed) {
  const std::string expected = Uninterrupted(30);
  for (const bool head : {true, false}) {
    disk_ = std::make_shared<MemoryDisk>();
    Start();
    ASSERT_TRUE(Create("a").ok());
    for (int from = 0; from < 30; from += 10) {
      LearnMany("a", from, from + 10, "p");
      ASSERT_TRUE(Take("a").ok());
    }
    const ModelId id = Stored("a").id;
    Stop();
    for (const std::uint64_t offset : {20u, 30u}) {
      if (head) {
        disk_->CorruptSnapshot(id, offset);
      } else {
        disk_->CorruptSnapshotChunk(id, offset, 0);
      }
    }
    Start();
    EXPECT_EQ(StateBytes("a"), expected);
    const std::vector<std::string> lost = snapshots_.lost();
    ASSERT_EQ(lost.size(), 2u);
    EXPECT_THAT(lost[0], HasSubstr("a: DATA_LOSS: model 1, snapshot at offset 30"));
    EXPECT_THAT(lost[1], HasSubstr("snapshot at offset 20"));
    // The next one replaces what cannot be read.
    ASSERT_TRUE(Take("a").ok());
    Start();
    EXPECT_EQ(StateBytes("a"), expected);
    EXPECT_THAT(snapshots_.lost(), IsEmpty());
  }
}

TEST_F(SnapshotLossTest, WithoutAGoodOneATruncatedLogIsDataLossOfThatModelOnly) {
  options_.snapshots.keep = 1;
  Start();
  ASSERT_TRUE(Create("a").ok());
  ASSERT_TRUE(Create("b").ok());
  LearnMany("a", 0, 10);
  LearnMany("b", 0, 10);
  ASSERT_TRUE(Take("a").ok());
  const ModelId id = Stored("a").id;
  Stop();
  disk_->CorruptSnapshotChunk(id, 10, 0);
  Start();
  EXPECT_EQ(engine_->GetModel("a")->problem.code(), Code::kDataLoss);
  EXPECT_TRUE(Learn("b", MakeBatch(1)).ok());
}

TEST_F(SnapshotLossTest, AFailedOneCostsNothingThatWasLearned) {
  Start();
  ASSERT_TRUE(Create("a").ok());
  LearnMany("a", 0, 10, "p");
  ASSERT_TRUE(Take("a").ok());
  LearnMany("a", 10, 20, "p");
  const std::string expected = StateBytes("a");
  for (const auto failure : {MemoryDisk::Failure::kSync, MemoryDisk::Failure::kFull}) {
    disk_->FailWrites(failure);
    EXPECT_FALSE(Take("a").ok());
    EXPECT_TRUE(Predict("a", MakeBatch(1)).ok());
    disk_->Crash();
    Start();
    EXPECT_EQ(StateBytes("a"), expected);
    EXPECT_THAT(Offsets("a"), ElementsAre(10));
  }
  EXPECT_EQ(snapshots_.failed(), 2);
  EXPECT_TRUE(Take("a").ok());
}

}  // namespace
}  // namespace prequel::snapshot_loss_test
