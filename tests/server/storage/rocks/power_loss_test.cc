// What RocksStore acknowledged is there after a power loss that takes every byte and every file
// name that was not synced.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "server/storage/rocks/rocks_store.h"
#include "tests/server/storage/rocks/power_loss_env.h"
#include "tests/server/storage/test_stores.h"

namespace prequel::power_loss_test {
namespace {

class PowerLossTest : public ::testing::Test {
 protected:
  void Open(bool sync) {
    store_.reset();
    auto store = RocksStore::Open({.directory = directory_.path(), .sync = sync, .env = &env_});
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
  }

  absl::Status Append(std::uint64_t offset) {
    const std::string payload = PayloadAt(offset);
    LogRecord record{.log = model_.log, .payload = payload};
    absl::Status status = store_->log().Append({&record, 1});
    if (status.ok()) {
      EXPECT_EQ(record.offset, offset);
    }
    return status;
  }
  static std::string PayloadAt(std::uint64_t offset) {
    return std::string(100 + offset, static_cast<char>('a' + offset % 26));
  }

  // Whether the store can be opened after a power loss now, and where its log ends, each record
  // from its beginning as it was written; -1 when it cannot, or one is not. Every snapshot that it
  // lists is whole, and reached by the log.
  std::int64_t RecordsAfterPowerLoss(std::vector<StoredSnapshot>* snapshots = nullptr) {
    const TemporaryDirectory copy;
    env_.CopyWhatSurvives(directory_.path(), copy.path());
    auto store = RocksStore::Open({.directory = copy.path()});
    if (!store.ok()) {
      ADD_FAILURE() << store.status();
      return -1;
    }
    const auto models = (*store)->catalogue().ListModels();
    if (!models.ok() || models->size() != 1 || !models->front().problem.ok()) return -1;
    const std::uint64_t first = (*store)->log().FirstOffset(model_.log).value();
    auto end = static_cast<std::int64_t>(first);
    const absl::Status status =
        VisitLog((*store)->log(), model_.log, first, [&](const LogRecord& record) {
          EXPECT_EQ(record.payload, PayloadAt(record.offset));
          ++end;
          return absl::OkStatus();
        });
    EXPECT_TRUE(status.ok()) << status;
    const std::vector<StoredSnapshot> listed =
        (*store)->snapshots().ListSnapshots(model_.id).value();
    for (const StoredSnapshot& snapshot : listed) {
      std::uint64_t bytes = 0;
      const absl::Status read =
          (*store)->snapshots().ReadSnapshot(snapshot, [&](std::string_view chunk) {
            bytes += chunk.size();
            return absl::OkStatus();
          });
      EXPECT_TRUE(read.ok()) << read;
      EXPECT_EQ(bytes, snapshot.bytes);
    }
    if (first > 0) {
      EXPECT_FALSE(listed.empty());
      if (!listed.empty()) {
        EXPECT_LT(first, listed.front().next_offset);
      }
    }
    if (snapshots != nullptr) *snapshots = listed;
    return end;
  }

  TemporaryDirectory directory_;
  PowerLossEnv env_;
  std::unique_ptr<RocksStore> store_;
  StoredModel model_;
};

TEST_F(PowerLossTest, LosesNothingThatWasAcknowledged) {
  Open(true);
  model_ = store_->catalogue().CreateModel("a", "config", 0, nullptr).value();
  EXPECT_EQ(RecordsAfterPowerLoss(), 0);
  for (std::uint64_t offset = 0; offset < 60; ++offset) {
    ASSERT_TRUE(Append(offset).ok());
    EXPECT_EQ(RecordsAfterPowerLoss(), static_cast<std::int64_t>(offset) + 1);
    // What is in the write-ahead log goes to a table, and a new log begins.
    if (offset % 20 == 19) {
      Open(true);
      EXPECT_EQ(RecordsAfterPowerLoss(), static_cast<std::int64_t>(offset) + 1);
    }
  }
}

TEST_F(PowerLossTest, LosesOnlyTheEndWithoutSyncing) {
  Open(true);
  model_ = store_->catalogue().CreateModel("a", "config", 0, nullptr).value();
  Open(false);
  for (std::uint64_t offset = 0; offset < 60; ++offset) ASSERT_TRUE(Append(offset).ok());
  EXPECT_GT(env_.unsynced(), 0u);
  const std::int64_t left = RecordsAfterPowerLoss();
  EXPECT_GE(left, 0);
  EXPECT_LT(left, 60);
}

TEST_F(PowerLossTest, LosesNoSnapshotThatWasCommitted) {
  Open(true);
  model_ = store_->catalogue().CreateModel("a", "config", 0, nullptr).value();
  for (std::uint64_t offset = 0; offset < 10; ++offset) ASSERT_TRUE(Append(offset).ok());
  std::vector<StoredSnapshot> snapshots;
  for (const std::uint32_t chunks : {1u, 2u, 40u}) {
    StoredSnapshot snapshot{.model = model_.id, .log = model_.log, .next_offset = chunks};
    const std::vector<StoredSnapshot> before = snapshots;
    for (std::uint32_t index = 0; index < chunks; ++index) {
      const std::string chunk(1000 + index, 'x');
      snapshot.bytes += chunk.size();
      ASSERT_TRUE(
          store_->snapshots().WriteSnapshotChunk(model_.id, chunks, snapshot.chunks++, chunk).ok());
    }
    EXPECT_EQ(RecordsAfterPowerLoss(&snapshots), 10);
    EXPECT_EQ(snapshots.size(), before.size());
    ASSERT_TRUE(store_->snapshots().CommitSnapshot(snapshot, {}).ok());
    EXPECT_EQ(RecordsAfterPowerLoss(&snapshots), 10);
    ASSERT_EQ(snapshots.size(), before.size() + 1);
    EXPECT_EQ(snapshots.back().chunks, chunks);
  }
}

// First the snapshot, then the truncation: whichever of the two is lost, the model can be restored.
TEST_F(PowerLossTest, TruncatesOnlyWhatACommittedSnapshotHolds) {
  Open(true);
  model_ = store_->catalogue().CreateModel("a", "config", 0, nullptr).value();
  std::uint64_t end = 0, before = 0;
  for (std::uint64_t round = 1; round <= 4; ++round) {
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(Append(end++).ok());
    const StoredSnapshot snapshot{
        .model = model_.id, .log = model_.log, .next_offset = end, .chunks = 1, .bytes = 5};
    ASSERT_TRUE(store_->snapshots().WriteSnapshotChunk(model_.id, end, 0, "chunk").ok());
    EXPECT_EQ(RecordsAfterPowerLoss(), static_cast<std::int64_t>(end));
    const std::vector<std::uint64_t> drop = {before};
    ASSERT_TRUE(store_->snapshots().CommitSnapshot(snapshot, drop).ok());
    EXPECT_EQ(RecordsAfterPowerLoss(), static_cast<std::int64_t>(end));
    ASSERT_TRUE(store_->log().Truncate(model_.log, end - 1).ok());
    EXPECT_EQ(RecordsAfterPowerLoss(), static_cast<std::int64_t>(end));
    before = end;
    ASSERT_TRUE(Append(end++).ok());  // which syncs the truncation, too
    EXPECT_EQ(RecordsAfterPowerLoss(), static_cast<std::int64_t>(end));
    EXPECT_EQ(store_->log().FirstOffset(model_.log).value(), end - 2);
    if (round == 2) Open(true);
  }
}

TEST_F(PowerLossTest, LosesNothingOfWhatAModelBeganWith) {
  Open(true);
  for (const int chunks : {1, 40}) {
    const FirstSnapshot first{.revision = 3, .build = "b", .write = [&](FirstSnapshot::Sink sink) {
                                absl::Status status;
                                for (int i = 0; i < chunks && status.ok(); ++i) {
                                  status = sink(std::string(1000, 'x'));
                                }
                                return status;
                              }};
    model_ = store_->catalogue().CreateModel("a", "config", 0, &first).value();
    std::vector<StoredSnapshot> snapshots;
    EXPECT_EQ(RecordsAfterPowerLoss(&snapshots), 0);
    ASSERT_EQ(snapshots.size(), 1u);
    EXPECT_EQ(snapshots.front().bytes, 1000u * static_cast<unsigned>(chunks));
    ASSERT_TRUE(store_->catalogue().DeleteModel("a", model_.id).ok());
  }
}

}  // namespace
}  // namespace prequel::power_loss_test
