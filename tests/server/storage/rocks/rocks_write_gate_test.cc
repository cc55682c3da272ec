// A disk that fills up, and has room again.
#include "server/storage/rocks/rocks_write_gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "server/storage/rocks/rocks_store.h"
#include "tests/server/storage/rocks/failing_env.h"
#include "tests/server/storage/test_stores.h"

namespace prequel::rocks_write_gate_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Code = absl::StatusCode;
using Room = FailingEnv::Room;

std::set<std::filesystem::path> FilesIn(const std::string& folder) {
  std::set<std::filesystem::path> files;
  for (const auto& file : std::filesystem::directory_iterator(folder)) files.insert(file.path());
  return files;
}

// Once more while files come and go, for RocksDB deletes those it is done with when it likes.
void CopyAtOneMoment(const std::string& from, const std::string& to) {
  constexpr int kAttempts = 100;
  std::error_code error;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const std::set<std::filesystem::path> before = FilesIn(from);
    for (const auto& file : FilesIn(to)) std::filesystem::remove_all(file);
    std::filesystem::copy(from, to, std::filesystem::copy_options::recursive, error);
    if (!error && before == FilesIn(from)) return;
  }
  FAIL() << from << " did not hold still: " << error.message();
}

class RocksWriteGateTest : public ::testing::Test {
 protected:
  RocksWriteGateTest() {
    Reopen();
    log_ = store_->catalogue().CreateModel("a", "", 0, nullptr)->log;
  }

  void Reopen() {
    store_.reset();
    auto store = RocksStore::Open({.directory = directory_.path(), .env = &env_});
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
  }

  absl::Status Append(std::uint64_t first, const std::vector<std::string_view>& payloads) {
    std::vector<LogRecord> records;
    for (const std::string_view payload : payloads) {
      records.push_back({.log = log_, .payload = payload});
    }
    absl::Status status = store_->log().Append(records);
    if (status.ok()) {
      EXPECT_EQ(records.front().offset, first);
    }
    return status;
  }

  // RocksDB takes its time to find that the disk has room. Gives up when it has none again.
  absl::Status Recover() const {
    absl::Status status = store_->Recover();
    for (int i = 0; i < 5000 && !status.ok() && env_.room == Room::kEnough; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      status = store_->Recover();
    }
    return status;
  }

  static std::vector<std::string> Payloads(Store& store, LogId log) {
    std::vector<std::string> payloads;
    const absl::Status status = VisitLog(store.log(), log, 0, [&](const LogRecord& record) {
      payloads.emplace_back(record.payload);
      return absl::OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status;
    return payloads;
  }

  // What would be found had the power failed now: all bytes that were written are kept.
  std::vector<std::string> PayloadsAfterACrash() {
    const TemporaryDirectory copy;
    CopyAtOneMoment(directory_.path(), copy.path());
    auto store = RocksStore::Open({.directory = copy.path()});
    EXPECT_TRUE(store.ok()) << store.status();
    return store.ok() ? Payloads(**store, log_) : std::vector<std::string>();
  }

  // Of three chunks, at the end of the log.
  absl::Status BeginSnapshot(const StoredModel& model) {
    for (std::uint32_t chunk = 0; chunk < 3; ++chunk) {
      absl::Status written =
          store_->snapshots().WriteSnapshotChunk(model.id, 1, chunk, std::string(1000, 'c'));
      if (!written.ok()) return written;
    }
    return absl::OkStatus();
  }
  absl::Status CommitSnapshot(const StoredModel& model) {
    return store_->snapshots().CommitSnapshot({.model = model.id,
                                               .log = model.log,
                                               .next_offset = 1,
                                               .revision = 1,
                                               .chunks = 3,
                                               .bytes = 3000},
                                              {});
  }
  // The bytes of the one snapshot that there is.
  std::size_t SnapshotBytes(const StoredModel& model) const {
    const auto snapshots = store_->snapshots().ListSnapshots(model.id);
    if (!snapshots.ok() || snapshots->size() != 1) return 0;
    std::size_t bytes = 0;
    const absl::Status read =
        store_->snapshots().ReadSnapshot(snapshots->front(), [&bytes](std::string_view chunk) {
          bytes += chunk.size();
          return absl::OkStatus();
        });
    EXPECT_TRUE(read.ok()) << read;
    return bytes;
  }

  TemporaryDirectory directory_;
  FailingEnv env_;
  std::unique_ptr<RocksStore> store_;
  LogId log_{};
};

TEST_F(RocksWriteGateTest, IsSaidToBeFull) {
  ASSERT_TRUE(Append(0, {"zero"}).ok());
  env_.room = Room::kNone;
  const absl::Status full = Append(1, {"one"});
  EXPECT_EQ(full.code(), Code::kResourceExhausted) << full;
  EXPECT_THAT(std::string(full.message()), HasSubstr("full"));
  EXPECT_EQ(store_->health().code(), Code::kResourceExhausted);
  const absl::Status refused = Append(1, {"one"});
  EXPECT_EQ(refused.code(), Code::kUnavailable);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("until the disk has room again"));
  EXPECT_EQ(store_->catalogue().CreateModel("b", "", 0, nullptr).status().code(),
            Code::kUnavailable);
  EXPECT_THAT(Payloads(*store_, log_), ElementsAre("zero")) << "reads go on";
  env_.room = Room::kEnough;
  EXPECT_EQ(Append(1, {"one"}).code(), Code::kUnavailable) << "not before Recover";
  Reopen();
  EXPECT_THAT(Payloads(*store_, log_), ElementsAre("zero"));
}

TEST_F(RocksWriteGateTest, IsWrittenToAgainOnceItHasRoom) {
  ASSERT_TRUE(Append(0, {"zero"}).ok());
  for (std::uint64_t round = 1; round <= 3; ++round) {
    env_.room = Room::kNone;
    ASSERT_FALSE(Append(round, {"refused"}).ok());
    EXPECT_EQ(store_->Recover().code(), Code::kResourceExhausted);
    EXPECT_EQ(Append(round, {"refused"}).code(), Code::kUnavailable);
    env_.room = Room::kEnough;
    ASSERT_TRUE(Recover().ok()) << store_->Recover();
    EXPECT_TRUE(store_->health().ok());
    if (round == 3) break;
    ASSERT_TRUE(Append(round, {"again"}).ok());
  }
  EXPECT_TRUE(store_->catalogue().CreateModel("b", "", 0, nullptr).ok());
  EXPECT_THAT(Payloads(*store_, log_), ElementsAre("zero", "again", "again"));
  Reopen();
  EXPECT_THAT(Payloads(*store_, log_), ElementsAre("zero", "again", "again"));
}

// Whatever of the failed write is on disk must not stand behind, or among, what is written later.
TEST_F(RocksWriteGateTest, NothingThatFailedComesBack) {
  ASSERT_TRUE(Append(0, {"zero"}).ok());
  env_.room = Room::kNoneAfterIt;
  ASSERT_EQ(Append(1, {"ghost 1", "ghost 2", "ghost 3"}).code(), Code::kResourceExhausted);
  EXPECT_THAT(PayloadsAfterACrash(), ElementsAre("zero", "ghost 1", "ghost 2", "ghost 3"))
      << "the test has teeth";
  env_.room = Room::kEnough;
  ASSERT_TRUE(Recover().ok()) << store_->Recover();
  EXPECT_THAT(PayloadsAfterACrash(), ElementsAre("zero"));
  ASSERT_TRUE(Append(1, {"one"}).ok());
  EXPECT_THAT(PayloadsAfterACrash(), ElementsAre("zero", "one"));
  Reopen();
  EXPECT_THAT(Payloads(*store_, log_), ElementsAre("zero", "one"));
}

// RocksDB, once it has failed, flushes behind the back of who waits for it.
TEST_F(RocksWriteGateTest, IsNotRecoveredBeforeAllIsFlushed) {
  ASSERT_TRUE(Append(0, {"zero"}).ok());
  env_.room = Room::kNoneAfterIt;
  ASSERT_FALSE(Append(1, {"ghost"}).ok());
  env_.tables = 0;
  env_.room = Room::kEnough;
  ASSERT_TRUE(Recover().ok()) << store_->Recover();
  EXPECT_EQ(env_.tables, 8) << "of four families what ends the log, and what begins behind it";
}

TEST_F(RocksWriteGateTest, MayBeFullAgainAnywhereInARecovery) {
  ASSERT_TRUE(Append(0, {"zero"}).ok());
  std::vector<std::string> kept = {"zero"};
  bool cut_short = true;
  for (int appends = 0; cut_short && appends < 200; ++appends) {
    env_.room = Room::kNoneAfterIt;
    ASSERT_FALSE(Append(kept.size(), {"ghost 1", "ghost 2", "ghost 3"}).ok());
    env_.appends_left = appends;
    env_.room = Room::kEnough;
    cut_short = !Recover().ok();
    env_.appends_left = -1;
    env_.room = Room::kEnough;
    ASSERT_TRUE(Recover().ok()) << appends << " appends: " << store_->Recover();
    EXPECT_EQ(PayloadsAfterACrash(), kept) << appends;
    ASSERT_EQ(Append(kept.size(), {"kept"}), absl::OkStatus()) << appends;
    kept.emplace_back("kept");
    EXPECT_EQ(PayloadsAfterACrash(), kept) << appends;
  }
  EXPECT_FALSE(cut_short);
  EXPECT_GT(kept.size(), 5U);
}

// RocksDB takes no file in once it has been full, and would end the process.
TEST_F(RocksWriteGateTest, KeepsLargeSnapshotsAfterItWasFull) {
  const StoredModel model = store_->catalogue().ListModels()->front();
  ASSERT_TRUE(Append(0, {"zero"}).ok());
  ASSERT_TRUE(BeginSnapshot(model).ok());
  env_.room = Room::kNone;
  ASSERT_FALSE(Append(1, {"refused"}).ok());
  env_.room = Room::kEnough;
  ASSERT_TRUE(Recover().ok()) << store_->Recover();
  EXPECT_EQ(CommitSnapshot(model).code(), Code::kUnavailable) << "begun before";
  EXPECT_TRUE(store_->health().ok()) << "what is lost is that snapshot alone";
  ASSERT_TRUE(BeginSnapshot(model).ok());
  ASSERT_TRUE(CommitSnapshot(model).ok()) << CommitSnapshot(model);
  EXPECT_EQ(SnapshotBytes(model), 3000U);
  Reopen();
  EXPECT_EQ(SnapshotBytes(model), 3000U);
}

TEST_F(RocksWriteGateTest, MayBeFullAtTheFirstWriteOfAll) {
  Reopen();  // what was written has been flushed
  env_.room = Room::kNone;
  ASSERT_EQ(Append(0, {"zero"}).code(), Code::kResourceExhausted);
  env_.room = Room::kEnough;
  ASSERT_TRUE(Recover().ok()) << store_->Recover();
  ASSERT_TRUE(Append(0, {"zero"}).ok());
  EXPECT_THAT(PayloadsAfterACrash(), ElementsAre("zero"));
}

}  // namespace
}  // namespace prequel::rocks_write_gate_test
