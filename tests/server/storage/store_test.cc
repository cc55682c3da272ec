// The contract of server/storage/store.h, for every store.
#include "server/storage/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/server/storage/test_stores.h"

namespace prequel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

template <class Disk>
class StoreTest : public ::testing::Test {
 protected:
  StoreTest() { Reopen(); }

  void Reopen() {
    store_.reset();
    absl::StatusOr<std::unique_ptr<Store>> store = disk_.Open();
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
  }

  LogId Create(const std::string& name, const std::string& config = "config") {
    const absl::StatusOr<StoredModel> model = store_->CreateModel(name, config, 1234, nullptr);
    EXPECT_TRUE(model.ok()) << model.status();
    return model.ok() ? model->log : 0;
  }

  absl::Status Append(LogId log, std::uint64_t offset, std::string_view payload) {
    const LogRecord record{.log = log, .offset = offset, .payload = payload};
    return store_->Append({&record, 1});
  }

  std::vector<std::string> Payloads(LogId log, std::uint64_t from = 0, std::size_t limit = 1000) {
    std::vector<std::string> payloads;
    status_ = store_->Read(log, from, limit, [&](const LogRecord& record) {
      EXPECT_EQ(record.log, log);
      EXPECT_EQ(record.offset, from + payloads.size());
      payloads.emplace_back(record.payload);
      return absl::OkStatus();
    });
    return payloads;
  }

  std::vector<std::string> Names() {
    std::vector<std::string> names;
    const auto models = store_->ListModels();
    EXPECT_TRUE(models.ok());
    for (const StoredModel& model : *models) names.push_back(model.name);
    return names;
  }

  Disk disk_;
  std::unique_ptr<Store> store_;
  absl::Status status_;  // of the last Payloads()
};

using Disks = ::testing::Types<MemoryTestDisk, RocksTestDisk>;
class DiskNames {
 public:
  template <class T>
  static std::string GetName(int) {
    return std::is_same_v<T, MemoryTestDisk> ? "Memory" : "Rocks";
  }
};
TYPED_TEST_SUITE(StoreTest, Disks, DiskNames);

TYPED_TEST(StoreTest, KeepsModelsAcrossReopening) {
  const LogId prices = this->Create("prices", std::string("con\0fig", 7));
  this->Create("ab");
  this->Create("abc");
  this->Reopen();
  EXPECT_THAT(this->Names(), ElementsAre("ab", "abc", "prices"));
  const StoredModel model = this->store_->ListModels()->back();
  EXPECT_EQ(model.log, prices);
  EXPECT_EQ(model.config, std::string("con\0fig", 7));
  EXPECT_EQ(model.create_time_us, 1234);
  EXPECT_TRUE(model.problem.ok());
}

TYPED_TEST(StoreTest, RefusesANameThatIsTaken) {
  this->Create("prices");
  EXPECT_EQ(this->store_->CreateModel("prices", "", 0, nullptr).status().code(),
            absl::StatusCode::kAlreadyExists);
  this->Create("price");
  this->Create("prices2");
  EXPECT_THAT(this->Names(), ElementsAre("price", "prices", "prices2"));
}

TYPED_TEST(StoreTest, AppendsToSeveralLogsAtOnceAndReadsInOrder) {
  const LogId a = this->Create("a"), b = this->Create("b");
  const std::string large(5 << 20, 'z');
  const std::vector<LogRecord> records = {{.log = a, .offset = 0, .payload = "a0"},
                                          {.log = b, .offset = 0, .payload = large},
                                          {.log = a, .offset = 1, .payload = ""}};
  ASSERT_TRUE(this->store_->Append(records).ok());
  ASSERT_TRUE(this->Append(a, 2, "a2").ok());
  this->Reopen();
  EXPECT_THAT(this->Payloads(a), ElementsAre("a0", "", "a2"));
  EXPECT_THAT(this->Payloads(b), ElementsAre(large));
  EXPECT_THAT(this->Payloads(b + 1), IsEmpty());
  EXPECT_TRUE(this->status_.ok());
}

TYPED_TEST(StoreTest, ReadsAPart) {
  const LogId log = this->Create("a");
  for (std::uint64_t i = 0; i < 300; ++i) {
    ASSERT_TRUE(this->Append(log, i, std::to_string(i)).ok());
  }
  EXPECT_THAT(this->Payloads(log, 255, 3), ElementsAre("255", "256", "257"));
  EXPECT_THAT(this->Payloads(log, 299), ElementsAre("299"));
  EXPECT_THAT(this->Payloads(log, 300), IsEmpty());
  EXPECT_THAT(this->Payloads(log, 0, 0), IsEmpty());
}

TYPED_TEST(StoreTest, AVisitorsErrorEndsTheReading) {
  const LogId log = this->Create("a");
  for (std::uint64_t i = 0; i < 3; ++i) ASSERT_TRUE(this->Append(log, i, "x").ok());
  int visited = 0;
  const absl::Status status = this->store_->Read(log, 0, 10, [&](const LogRecord&) {
    return ++visited == 2 ? absl::CancelledError("enough") : absl::OkStatus();
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(visited, 2);
}

TYPED_TEST(StoreTest, DeletesAModelWithItsLogOnly) {
  const LogId a = this->Create("a"), b = this->Create("b"), c = this->Create("c");
  for (const LogId log : {a, b, c}) {
    for (std::uint64_t i = 0; i < 5; ++i) {
      ASSERT_TRUE(this->Append(log, i, std::string(8000, 'x')).ok());
    }
  }
  ASSERT_TRUE(this->store_->DeleteModel("b", b).ok());
  EXPECT_EQ(this->store_->DeleteModel("b", b).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(this->store_->DeleteModel("a", b).code(), absl::StatusCode::kNotFound);
  this->Reopen();
  EXPECT_THAT(this->Names(), ElementsAre("a", "c"));
  EXPECT_EQ(this->Payloads(a).size(), 5u);
  EXPECT_EQ(this->Payloads(b).size(), 0u);
  EXPECT_EQ(this->Payloads(c).size(), 5u);
}

TYPED_TEST(StoreTest, ANameCreatedAgainStartsAnEmptyLog) {
  const LogId first = this->Create("a");
  ASSERT_TRUE(this->Append(first, 0, "old").ok());
  ASSERT_TRUE(this->store_->DeleteModel("a", first).ok());
  this->Reopen();
  const LogId second = this->Create("a");
  EXPECT_GT(second, first);
  EXPECT_THAT(this->Payloads(second), IsEmpty());
  ASSERT_TRUE(this->Append(second, 0, "new").ok());
  EXPECT_THAT(this->Payloads(second), ElementsAre("new"));
}

TYPED_TEST(StoreTest, ADamagedRecordIsDataLossAndOthersAreRead) {
  const LogId a = this->Create("a"), b = this->Create("b");
  for (std::uint64_t i = 0; i < 5; ++i) {
    ASSERT_TRUE(this->Append(a, i, "a minibatch").ok());
    ASSERT_TRUE(this->Append(b, i, "a minibatch").ok());
  }
  this->store_.reset();
  this->disk_.CorruptRecord(a, 3);
  this->Reopen();
  EXPECT_EQ(this->Payloads(a).size(), 3u);
  EXPECT_EQ(this->status_.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(this->status_.message()), HasSubstr("log " + std::to_string(a)));
  EXPECT_THAT(std::string(this->status_.message()), HasSubstr("offset 3"));
  EXPECT_EQ(this->Payloads(b).size(), 5u);
  EXPECT_TRUE(this->status_.ok());
}

TYPED_TEST(StoreTest, AMissingRecordIsDataLoss) {
  const LogId a = this->Create("a");
  for (std::uint64_t i = 0; i < 5; ++i) ASSERT_TRUE(this->Append(a, i, "x").ok());
  this->store_.reset();
  this->disk_.LoseRecord(a, 0);
  this->disk_.LoseRecord(a, 2);
  this->Reopen();
  EXPECT_THAT(this->Payloads(a), IsEmpty());
  EXPECT_EQ(this->status_.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(this->Payloads(a, 1).size(), 1u);
  EXPECT_THAT(std::string(this->status_.message()), HasSubstr("offset 2: missing"));
}

TYPED_TEST(StoreTest, ADamagedModelIsListedWithItsProblemAndCanBeDeleted) {
  const LogId a = this->Create("a"), b = this->Create("b");
  this->store_.reset();
  this->disk_.CorruptModel("a", a);
  this->Reopen();
  const auto models = this->store_->ListModels();
  ASSERT_TRUE(models.ok());
  ASSERT_EQ(models->size(), 2u);
  EXPECT_EQ((*models)[0].problem.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ((*models)[0].name, "a");
  EXPECT_TRUE((*models)[1].problem.ok());
  EXPECT_TRUE(this->store_->DeleteModel("a", a).ok());
  EXPECT_TRUE(this->store_->DeleteModel("b", b).ok());
  EXPECT_THAT(this->Names(), IsEmpty());
}

TYPED_TEST(StoreTest, IsOpenOnlyOnce) {
  const absl::Status second = this->disk_.Open().status();
  EXPECT_EQ(second.code(), absl::StatusCode::kFailedPrecondition) << second;
  EXPECT_THAT(std::string(second.message()), HasSubstr("in use"));
  this->Create("a");
  this->Reopen();
  EXPECT_THAT(this->Names(), ElementsAre("a"));
}

TYPED_TEST(StoreTest, TakesWritesAndReadsFromManyThreads) {
  std::vector<LogId> logs;
  for (int i = 0; i < 4; ++i) logs.push_back(this->Create("m" + std::to_string(i)));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this, i, log = logs[static_cast<std::size_t>(i)]] {
      const std::string own = "t" + std::to_string(i);
      for (std::uint64_t offset = 0; offset < 50; ++offset) {
        ASSERT_TRUE(this->Append(log, offset, "payload").ok());
        ASSERT_TRUE(this->store_->ListModels().ok());
      }
      const auto created = this->store_->CreateModel(own, "", 0, nullptr);
      ASSERT_TRUE(created.ok());
      ASSERT_TRUE(this->store_->DeleteModel(own, created->log).ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const LogId log : logs) EXPECT_EQ(this->Payloads(log).size(), 50u);
}

}  // namespace
}  // namespace prequel
