// The contract of server/storage/log.h, for every store.
#include "server/storage/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/server/storage/test_stores.h"

namespace prequel::log_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Progress = Follower::Progress;

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

template <class Disk>
class LogTest : public ::testing::Test {
 protected:
  LogTest() { Reopen(); }

  void Reopen() {
    store_.reset();
    absl::StatusOr<std::unique_ptr<Store>> store = disk_.Open();
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
  }
  Log& log() { return store_->log(); }

  LogId Create(const std::string& name) {
    const auto model = store_->catalogue().CreateModel(name, "config", 1234, nullptr);
    EXPECT_TRUE(model.ok()) << model.status();
    return model.value_or(StoredModel()).log;
  }

  // Where it was put.
  std::uint64_t Append(LogId log_id, std::string_view payload) {
    LogRecord record{.log = log_id, .payload = payload};
    const absl::Status status = log().Append({&record, 1});
    EXPECT_TRUE(status.ok()) << status;
    return record.offset;
  }
  void AppendMany(LogId log_id, int records) {
    for (int i = 0; i < records; ++i) Append(log_id, std::to_string(i));
  }

  // What `follower` has at hand; the rest goes to status_ and progress_.
  std::vector<std::string> Next(Follower& follower, std::size_t limit = kAll) {
    std::vector<std::string> payloads;
    const std::uint64_t from = follower.offset();
    const auto progress = follower.Next(limit, [&](const LogRecord& record) {
      EXPECT_EQ(record.offset, from + payloads.size());
      payloads.emplace_back(record.payload);
      return absl::OkStatus();
    });
    status_ = progress.status();
    if (progress.ok()) progress_ = *progress;
    return payloads;
  }
  std::vector<std::string> Payloads(LogId log_id, std::uint64_t from = 0) {
    return Next(*log().Follow(log_id, from));
  }

  Disk disk_;
  std::unique_ptr<Store> store_;
  absl::Status status_;  // of the last reading
  Progress progress_ = Progress::kMore;
};

using Disks = ::testing::Types<MemoryTestDisk, RocksTestDisk>;
TYPED_TEST_SUITE(LogTest, Disks, DiskNames);

TYPED_TEST(LogTest, AppendsToSeveralLogsAtOnceAndSaysWhere) {
  const LogId a = this->Create("a"), b = this->Create("b");
  const std::string large(5 << 20, 'z');
  std::vector<LogRecord> records = {{.log = a, .offset = 77, .payload = "a0"},
                                    {.log = b, .payload = large},
                                    {.log = a, .payload = ""}};
  ASSERT_TRUE(this->log().Append(records).ok());
  EXPECT_EQ(records[0].offset, 0u) << "what was there before does not count";
  EXPECT_EQ(records[1].offset, 0u);
  EXPECT_EQ(records[2].offset, 1u);
  EXPECT_EQ(this->Append(a, "a2"), 2u);
  this->Reopen();
  EXPECT_EQ(this->Append(a, "a3"), 3u);
  EXPECT_EQ(this->Append(b, "b1"), 1u);
  EXPECT_THAT(this->Payloads(a), ElementsAre("a0", "", "a2", "a3"));
  EXPECT_THAT(this->Payloads(b), ElementsAre(large, "b1"));
  EXPECT_THAT(this->Payloads(LogId{99}), IsEmpty());
  EXPECT_TRUE(this->status_.ok());
}

TYPED_TEST(LogTest, AFollowerReadsAPartAtATime) {
  const LogId log = this->Create("a");
  this->AppendMany(log, 300);
  const auto follower = this->log().Follow(log, 255);
  EXPECT_THAT(this->Next(*follower, 3), ElementsAre("255", "256", "257"));
  EXPECT_EQ(this->progress_, Progress::kMore);
  EXPECT_EQ(follower->offset(), 258u);
  EXPECT_EQ(this->Next(*follower).size(), 42u);
  EXPECT_EQ(this->progress_, Progress::kCaughtUp);
  EXPECT_EQ(follower->offset(), 300u);
  EXPECT_THAT(this->Payloads(log, 299), ElementsAre("299"));
  EXPECT_THAT(this->Payloads(log, 300), IsEmpty());
  EXPECT_EQ(this->progress_, Progress::kCaughtUp);
}

TYPED_TEST(LogTest, AFollowerGoesOnWithWhatIsAppended) {
  const LogId log = this->Create("a");
  const auto follower = this->log().Follow(log, 0);
  EXPECT_THAT(this->Next(*follower), IsEmpty());
  for (const char* payload : {"0", "1", "2"}) {
    EXPECT_EQ(this->progress_, Progress::kCaughtUp);
    this->Append(log, payload);
    EXPECT_THAT(this->Next(*follower), ElementsAre(payload));
  }
  EXPECT_THAT(this->Next(*follower), IsEmpty());
}

TYPED_TEST(LogTest, AVisitorsErrorEndsTheReadingBehindItsRecord) {
  const LogId log = this->Create("a");
  this->AppendMany(log, 3);
  const auto follower = this->log().Follow(log, 0);
  int visited = 0;
  const absl::Status status =
      follower
          ->Next(10,
                 [&](const LogRecord&) {
                   return ++visited == 2 ? absl::CancelledError("enough") : absl::OkStatus();
                 })
          .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(visited, 2);
  EXPECT_EQ(follower->offset(), 2u);
  EXPECT_THAT(this->Next(*follower), ElementsAre("2"));
}

TYPED_TEST(LogTest, ANameCreatedAgainStartsAnEmptyLog) {
  const StoredModel first =
      this->store_->catalogue().CreateModel("a", "config", 1, nullptr).value();
  this->Append(first.log, "old");
  ASSERT_TRUE(this->store_->catalogue().DeleteModel("a", first.id).ok());
  this->Reopen();
  const LogId second = this->Create("a");
  EXPECT_NE(second, first.log);
  EXPECT_THAT(this->Payloads(second), IsEmpty());
  EXPECT_EQ(this->Append(second, "new"), 0u);
  EXPECT_THAT(this->Payloads(second), ElementsAre("new"));
}

TYPED_TEST(LogTest, ADamagedRecordIsDataLossAndOthersAreRead) {
  const LogId a = this->Create("a"), b = this->Create("b");
  this->AppendMany(a, 5);
  this->AppendMany(b, 5);
  this->store_.reset();
  this->disk_.CorruptRecord(a, 3);
  this->Reopen();
  EXPECT_EQ(this->Payloads(a).size(), 3u);
  EXPECT_EQ(this->status_.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(this->status_.message()),
              HasSubstr("log " + std::to_string(NumberOf(a))));
  EXPECT_THAT(std::string(this->status_.message()), HasSubstr("offset 3"));
  EXPECT_EQ(this->Payloads(b).size(), 5u);
  EXPECT_TRUE(this->status_.ok());
}

TYPED_TEST(LogTest, AMissingRecordIsDataLoss) {
  const LogId a = this->Create("a");
  this->AppendMany(a, 5);
  this->store_.reset();
  this->disk_.LoseRecord(a, 0);
  this->disk_.LoseRecord(a, 2);
  this->Reopen();
  EXPECT_THAT(this->Payloads(a), IsEmpty());
  EXPECT_EQ(this->status_.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(this->Payloads(a, 1).size(), 1u);
  EXPECT_THAT(std::string(this->status_.message()), HasSubstr("offset 2: missing"));
}

TYPED_TEST(LogTest, TruncationForgetsWhatIsBeforeAndNeverAll) {
  const LogId a = this->Create("a"), b = this->Create("b");
  this->AppendMany(a, 10);
  this->AppendMany(b, 3);
  ASSERT_TRUE(this->log().Truncate(a, 6).ok());
  EXPECT_EQ(*this->log().FirstOffset(a), 6u);
  EXPECT_THAT(this->Payloads(a, 6), ElementsAre("6", "7", "8", "9"));
  EXPECT_THAT(this->Payloads(a), IsEmpty());
  EXPECT_EQ(this->status_.code(), absl::StatusCode::kDataLoss) << "not an empty log";
  EXPECT_EQ(this->Payloads(b).size(), 3u);
  ASSERT_TRUE(this->log().Truncate(a, 3).ok());
  EXPECT_EQ(*this->log().FirstOffset(a), 6u);
  ASSERT_TRUE(this->log().Truncate(a, 100).ok());
  EXPECT_THAT(this->Payloads(a, 9), ElementsAre("9"));
  this->Reopen();
  EXPECT_EQ(this->Append(a, "10"), 10u);
  ASSERT_TRUE(this->log().Truncate(LogId{99}, 5).ok()) << "of an empty one there is nothing";
}

TYPED_TEST(LogTest, ALogThatLostItsEndSaysSoAndGoesOnBehindIt) {
  const LogId a = this->Create("a");
  this->AppendMany(a, 5);
  this->store_.reset();
  for (const std::uint64_t offset : {3, 4}) this->disk_.LoseRecord(a, offset);
  for (int reopened = 0; reopened < 2; ++reopened) {
    this->Reopen();
    EXPECT_THAT(this->Payloads(a, 5), IsEmpty());
    EXPECT_EQ(this->status_.code(), absl::StatusCode::kOutOfRange);
    EXPECT_THAT(std::string(this->status_.message()), HasSubstr("ends at offset 3"));
    ASSERT_TRUE(this->log().SkipTo(a, 5).ok());
    EXPECT_THAT(this->Payloads(a, 5), IsEmpty());
    EXPECT_EQ(this->progress_, Progress::kCaughtUp);
    ASSERT_TRUE(this->log().SkipTo(a, 1).ok()) << "never back";
  }
  EXPECT_EQ(this->Append(a, "5"), 5u);
  EXPECT_EQ(this->Append(a, "6"), 6u);
  this->Reopen();
  EXPECT_THAT(this->Payloads(a, 5), ElementsAre("5", "6"));
}

TYPED_TEST(LogTest, GivesEachOffsetOnceWhoeverAppends) {
  const LogId shared = this->Create("shared");
  std::vector<LogId> logs;
  for (int i = 0; i < 4; ++i) logs.push_back(this->Create("m" + std::to_string(i)));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this, i, shared, own = logs[static_cast<std::size_t>(i)]] {
      Catalogue& catalogue = this->store_->catalogue();
      for (std::uint64_t offset = 0; offset < 50; ++offset) {
        EXPECT_EQ(this->Append(own, "payload"), offset);
        this->Append(shared, "payload");
        ASSERT_TRUE(catalogue.ListModels().ok());
      }
      const std::string name = "t" + std::to_string(i);
      const auto created = catalogue.CreateModel(name, "", 0, nullptr);
      ASSERT_TRUE(created.ok());
      ASSERT_TRUE(catalogue.DeleteModel(name, created->id).ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const LogId log : logs) EXPECT_EQ(this->Payloads(log).size(), 50u);
  EXPECT_EQ(this->Payloads(shared).size(), 200u);
}

}  // namespace
}  // namespace prequel::log_test
