// What RocksStore acknowledged is there after a power loss that takes every byte and every file
// name that was not synced.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "server/storage/rocks_store.h"
#include "tests/server/storage/power_loss_env.h"
#include "tests/server/storage/test_stores.h"

namespace prequel {
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
    const LogRecord record{.log = log_, .offset = offset, .payload = payload};
    return store_->Append({&record, 1});
  }
  static std::string PayloadAt(std::uint64_t offset) {
    return std::string(100 + offset, static_cast<char>('a' + offset % 26));
  }

  // Whether the store can be opened after a power loss now, and how many records it has from 0 on,
  // each as it was written; -1 when it cannot, or one is not. Every snapshot it lists is whole.
  std::int64_t RecordsAfterPowerLoss(std::vector<StoredSnapshot>* snapshots = nullptr) {
    const TemporaryDirectory copy;
    env_.CopyWhatSurvives(directory_.path(), copy.path());
    auto store = RocksStore::Open({.directory = copy.path()});
    if (!store.ok()) {
      ADD_FAILURE() << store.status();
      return -1;
    }
    const auto models = (*store)->ListModels();
    if (!models.ok() || models->size() != 1) return -1;
    std::int64_t count = 0;
    const absl::Status status = (*store)->Read(log_, 0, 100'000, [&](const LogRecord& record) {
      EXPECT_EQ(record.payload, PayloadAt(record.offset));
      ++count;
      return absl::OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status;
    const std::vector<StoredSnapshot> listed = (*store)->ListSnapshots(log_).value();
    for (const StoredSnapshot& snapshot : listed) {
      std::uint64_t bytes = 0;
      const absl::Status read = (*store)->ReadSnapshot(snapshot, [&](std::string_view chunk) {
        bytes += chunk.size();
        return absl::OkStatus();
      });
      EXPECT_TRUE(read.ok()) << read;
      EXPECT_EQ(bytes, snapshot.bytes);
    }
    if (snapshots != nullptr) *snapshots = listed;
    return count;
  }

  TemporaryDirectory directory_;
  PowerLossEnv env_;
  std::unique_ptr<RocksStore> store_;
  LogId log_ = 0;
};

TEST_F(PowerLossTest, LosesNothingThatWasAcknowledged) {
  Open(true);
  log_ = store_->CreateModel("a", "config", 0, nullptr)->log;
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
  log_ = store_->CreateModel("a", "config", 0, nullptr)->log;
  Open(false);
  for (std::uint64_t offset = 0; offset < 60; ++offset) ASSERT_TRUE(Append(offset).ok());
  EXPECT_GT(env_.unsynced(), 0u);
  const std::int64_t left = RecordsAfterPowerLoss();
  EXPECT_GE(left, 0);
  EXPECT_LT(left, 60);
}

TEST_F(PowerLossTest, LosesNoSnapshotThatWasCommitted) {
  Open(true);
  log_ = store_->CreateModel("a", "config", 0, nullptr)->log;
  for (std::uint64_t offset = 0; offset < 10; ++offset) ASSERT_TRUE(Append(offset).ok());
  std::vector<StoredSnapshot> snapshots;
  for (const std::uint32_t chunks : {1u, 2u, 40u}) {
    StoredSnapshot snapshot{.log = log_, .next_offset = chunks};
    const std::vector<StoredSnapshot> before = snapshots;
    for (std::uint32_t index = 0; index < chunks; ++index) {
      const std::string chunk(1000 + index, 'x');
      snapshot.bytes += chunk.size();
      ASSERT_TRUE(store_->WriteSnapshotChunk(log_, chunks, snapshot.chunks++, chunk).ok());
    }
    EXPECT_EQ(RecordsAfterPowerLoss(&snapshots), 10);
    EXPECT_EQ(snapshots.size(), before.size());
    ASSERT_TRUE(store_->CommitSnapshot(snapshot, {}, 0).ok());
    EXPECT_EQ(RecordsAfterPowerLoss(&snapshots), 10);
    ASSERT_EQ(snapshots.size(), before.size() + 1);
    EXPECT_EQ(snapshots.back().chunks, chunks);
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
    log_ = store_->CreateModel("a", "config", 0, &first)->log;
    std::vector<StoredSnapshot> snapshots;
    EXPECT_EQ(RecordsAfterPowerLoss(&snapshots), 0);
    ASSERT_EQ(snapshots.size(), 1u);
    EXPECT_EQ(snapshots.front().bytes, 1000u * static_cast<unsigned>(chunks));
    ASSERT_TRUE(store_->DeleteModel("a", log_).ok());
  }
}

}  // namespace
}  // namespace prequel
