// A write-ahead log that was deleted or cut off: whatever was acknowledged and is not there is
// named, and what a crash may leave raises no alarm.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/storage/rocks/rocks_store.h"
#include "tests/server/storage/rocks/failing_env.h"
#include "tests/server/storage/test_stores.h"

namespace prequel::lost_log_test {
namespace {

using ::testing::HasSubstr;

class LostLogTest : public ::testing::Test {
 protected:
  void Open(bool sync = true) {
    store_.reset();
    auto store = RocksStore::Open({.directory = live_.path(), .sync = sync, .env = &env_});
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
  }
  StoredModel Create(const std::string& name) {
    return store_->catalogue().CreateModel(name, "config", 0, nullptr).value();
  }
  static absl::Status Append(Store& store, const StoredModel& model, std::size_t size = 100) {
    const std::string payload(size, 'p');
    LogRecord record{.log = model.log, .payload = payload};
    return store.log().Append({&record, 1});
  }
  void Append(const StoredModel& model, int records) {
    for (int i = 0; i < records; ++i) ASSERT_TRUE(Append(*store_, model).ok());
  }

  // What a killed server leaves.
  std::unique_ptr<TemporaryDirectory> Crash() const {
    auto copy = std::make_unique<TemporaryDirectory>();
    std::filesystem::copy(live_.path(), copy->path());
    return copy;
  }
  // Of RocksDB; the one that is being written last.
  static std::vector<std::filesystem::path> LogsIn(const std::string& directory) {
    std::vector<std::filesystem::path> logs;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      if (entry.path().extension() == ".log") logs.push_back(entry.path());
    }
    std::ranges::sort(logs);
    return logs;
  }
  static void DeleteLogs(const std::string& directory) {
    for (const auto& log : LogsIn(directory)) std::filesystem::remove(log);
  }

  static std::uint64_t Records(Store& store, const StoredModel& model) {
    std::uint64_t records = 0;
    const absl::Status status = VisitLog(store.log(), model.log, 0, [&](const LogRecord&) {
      ++records;
      return absl::OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status;
    return records;
  }
  // By name, what is wrong with each model.
  static std::map<std::string, std::string> Losses(RocksStore& store) {
    std::map<std::string, std::string> losses;
    const std::vector<StoredModel> models = store.catalogue().ListModels().value();
    for (const StoredModel& model : models) {
      EXPECT_TRUE(model.problem.ok() || absl::IsDataLoss(model.problem)) << model.problem;
      if (model.problem.ok()) {
        EXPECT_GE(Records(store, model), store.AcknowledgedEnd(model.log));
      } else {
        losses[model.name] = std::string(model.problem.message());
      }
    }
    return losses;
  }
  static std::map<std::string, std::string> LossesIn(const std::string& directory,
                                                     bool read_only = false) {
    auto store = RocksStore::Open({.directory = directory, .read_only = read_only});
    EXPECT_TRUE(store.ok()) << store.status();
    return store.ok() ? Losses(**store) : std::map<std::string, std::string>{{"", "not open"}};
  }

  TemporaryDirectory live_;
  FailingEnv env_;
  std::unique_ptr<RocksStore> store_;
};

using Lost = std::map<std::string, std::string>;

TEST_F(LostLogTest, ADeletedLogIsNoticedWhereItHeldSomething) {
  Open();
  const StoredModel a = Create("a"), b = Create("b"), c = Create("c");
  Append(a, 5);
  Append(b, 3);
  Open();  // what was in the log is in tables now
  Append(a, 4);
  Append(c, 1);
  const auto crashed = Crash();
  EXPECT_EQ(LossesIn(Crash()->path()), Lost());
  DeleteLogs(crashed->path());
  const Lost lost = LossesIn(crashed->path(), true);
  ASSERT_EQ(lost.size(), 2u);
  EXPECT_THAT(lost.at("a"), HasSubstr("records 5 to 8 of its log"));
  EXPECT_THAT(lost.at("a"), HasSubstr("revisions 6 to 9 are lost"));
  EXPECT_THAT(lost.at("c"), HasSubstr("records 0 to 0 of its log"));
  EXPECT_EQ(LossesIn(crashed->path()), lost);
  EXPECT_EQ(LossesIn(crashed->path()), lost) << "and at the next start as well";
  const auto store = RocksStore::Open({.directory = crashed->path()}).value();
  EXPECT_TRUE(Append(*store, b).ok()) << "the others go on";
}

TEST_F(LostLogTest, ALogCutOffAnywhereIsNoticed) {
  Open();
  const StoredModel a = Create("a"), b = Create("b");
  Append(a, 2);
  Open();
  constexpr int kMore = 12, kCuts = 31;
  for (int i = 0; i < kMore; ++i) {
    const std::size_t size = i % 4 == 3 ? 40'000 : 100;  // of more than a block
    ASSERT_TRUE(Append(*store_, i % 2 == 0 ? a : b, size).ok());
  }
  const auto whole = Crash();
  const auto size = std::filesystem::file_size(LogsIn(whole->path()).back());
  int noticed = 0;
  for (std::uintmax_t length = 0; length <= size; length += 1 + size / kCuts) {
    SCOPED_TRACE(length);
    const auto cut = Crash();
    std::filesystem::resize_file(LogsIn(cut->path()).back(), length);
    const auto store = RocksStore::Open({.directory = cut->path()}).value();
    const std::uint64_t there = Records(*store, a) + Records(*store, b);
    EXPECT_LT(there, 2u + kMore);
    EXPECT_EQ(store->AcknowledgedEnd(a.log), 2u + kMore / 2);
    EXPECT_EQ(store->AcknowledgedEnd(b.log), 0u + kMore / 2);
    noticed += !Losses(*store).empty();
  }
  EXPECT_EQ(noticed, kCuts);
  EXPECT_EQ(LossesIn(whole->path()), Lost());
}

TEST_F(LostLogTest, ModelsThatVanishAreNamedAndTheirIdsAreNotGivenAgain) {
  Open();
  Append(Create("a"), 2);
  const StoredModel b = Create("b");
  const auto crashed = Crash();
  DeleteLogs(crashed->path());
  const Lost read_only = LossesIn(crashed->path(), true);
  EXPECT_EQ(read_only.size(), 2u);
  auto store = RocksStore::Open({.directory = crashed->path()}).value();
  const Lost lost = Losses(*store);
  ASSERT_EQ(lost.size(), 2u);
  EXPECT_THAT(lost.at("a"), HasSubstr("it was acknowledged with 2 records"));
  EXPECT_THAT(lost.at("b"), HasSubstr("is not in the store"));
  const StoredModel c = store->catalogue().CreateModel("c", "", 0, nullptr).value();
  EXPECT_GT(NumberOf(c.id), NumberOf(b.log));
  EXPECT_TRUE(absl::IsNotFound(store->catalogue().DeleteModel("b", c.id)));
  EXPECT_TRUE(store->catalogue().DeleteModel("b", b.id).ok());
  EXPECT_EQ(Losses(*store).size(), 1u);
  store.reset();
  EXPECT_EQ(LossesIn(crashed->path()).size(), 1u);
  EXPECT_EQ(LossesIn(crashed->path()).count("a"), 1u);
}

TEST_F(LostLogTest, ADeletionThatWasUndoneIsNoticed) {
  Open();
  const StoredModel a = Create("a");
  Create("b");
  Append(a, 2);
  Open();
  ASSERT_TRUE(store_->catalogue().DeleteModel("a", a.id).ok());
  EXPECT_EQ(LossesIn(Crash()->path()), Lost());
  const auto crashed = Crash(), accepted = Crash();
  for (const auto* copy : {crashed.get(), accepted.get()}) {
    DeleteLogs(copy->path());
    const Lost lost = LossesIn(copy->path());
    ASSERT_EQ(lost.size(), 1u);
    EXPECT_THAT(lost.at("a"), HasSubstr("its deletion was acknowledged"));
  }
  auto store = RocksStore::Open({.directory = crashed->path()}).value();
  ASSERT_TRUE(store->catalogue().DeleteModel("a", a.id).ok());
  EXPECT_EQ(store->catalogue().ListModels().value().size(), 1u);
  store = RocksStore::Open({.directory = accepted->path()}).value();
  ASSERT_TRUE(store->AcceptLoss("").ok());
  EXPECT_EQ(Losses(*store), Lost());
  EXPECT_EQ(Records(*store, a), 2u);
}

// A mark is the last thing before an answer: the write before it may be on disk without it.
TEST_F(LostLogTest, WhatACrashLeavesRaisesNoAlarm) {
  Open();
  const StoredModel a = Create("a");
  Append(a, 2);
  const auto before = Crash();
  Append(a, 3);
  const StoredModel b = Create("b");
  Append(b, 1);
  const auto crashed = Crash();
  std::filesystem::copy_file(before->path() + "/acknowledged", crashed->path() + "/acknowledged",
                             std::filesystem::copy_options::overwrite_existing);
  auto store = RocksStore::Open({.directory = crashed->path()}).value();
  EXPECT_EQ(Losses(*store), Lost());
  EXPECT_EQ(store->AcknowledgedEnd(a.log), 5u) << "marked anew, from what is there";
  EXPECT_EQ(store->AcknowledgedEnd(b.log), 1u);
}

TEST_F(LostLogTest, WhatFailedIsNotMissed) {
  Open();
  const StoredModel a = Create("a"), b = Create("b");
  Append(a, 2);
  env_.room = FailingEnv::Room::kNone;
  EXPECT_FALSE(Append(*store_, a).ok());
  EXPECT_FALSE(store_->catalogue().DeleteModel("b", b.id).ok());
  EXPECT_FALSE(store_->catalogue().CreateModel("c", "", 0, nullptr).ok());
  env_.room = FailingEnv::Room::kEnough;
  const auto crashed = Crash();
  EXPECT_EQ(LossesIn(crashed->path()), Lost());
  const auto store = RocksStore::Open({.directory = crashed->path()}).value();
  EXPECT_EQ(store->catalogue().ListModels().value().size(), 2u);
  EXPECT_EQ(store->AcknowledgedEnd(a.log), 2u);
}

// What a crash leaves right before each write of marks.
class WatchedEnv final : public rocksdb::EnvWrapper {
 public:
  WatchedEnv() : EnvWrapper(rocksdb::Env::Default()) {}

  std::function<void()> before_write;

  rocksdb::Status NewRandomRWFile(const std::string& name,
                                  std::unique_ptr<rocksdb::RandomRWFile>* file,
                                  const rocksdb::EnvOptions& options) override {
    rocksdb::Status status = target()->NewRandomRWFile(name, file, options);
    if (status.ok()) *file = std::make_unique<File>(std::move(*file), this);
    return status;
  }

 private:
  class File final : public rocksdb::RandomRWFileWrapper {
   public:
    File(std::unique_ptr<rocksdb::RandomRWFile> file, WatchedEnv* env)
        : RandomRWFileWrapper(file.get()), file_(std::move(file)), env_(env) {}
    rocksdb::Status Write(std::uint64_t offset, const rocksdb::Slice& data) override {
      if (env_->before_write) env_->before_write();
      return RandomRWFileWrapper::Write(offset, data);
    }

   private:
    const std::unique_ptr<rocksdb::RandomRWFile> file_;
    WatchedEnv* const env_;
  };
};

// A deletion is marked before it is made, and after: between the two the model is there or not, and
// either is right.
TEST_F(LostLogTest, ACrashAmidstADeletionRaisesNoAlarm) {
  WatchedEnv env;
  store_ = RocksStore::Open({.directory = live_.path(), .env = &env}).value();
  const StoredModel a = Create("a");
  Append(a, 2);
  std::vector<std::unique_ptr<TemporaryDirectory>> crashes;
  env.before_write = [&] { crashes.push_back(Crash()); };
  ASSERT_TRUE(store_->catalogue().DeleteModel("a", a.id).ok());
  crashes.push_back(Crash());
  store_.reset();  // before its file system
  std::vector<std::size_t> models;
  for (const auto& crash : crashes) {
    const auto store = RocksStore::Open({.directory = crash->path()}).value();
    EXPECT_EQ(Losses(*store), Lost());
    models.push_back(store->catalogue().ListModels().value().size());
  }
  EXPECT_THAT(models, ::testing::ElementsAre(1, 0, 0));
}

// Whoever learns after its deletion failed is there, and is missed if it vanishes.
TEST_F(LostLogTest, AModelWhoseDeletionFailedIsMissed) {
  Open();
  const StoredModel a = Create("a");
  env_.room = FailingEnv::Room::kNone;
  EXPECT_FALSE(store_->catalogue().DeleteModel("a", a.id).ok());
  env_.room = FailingEnv::Room::kEnough;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!store_->Recover().ok() && std::chrono::steady_clock::now() < until) {
  }
  Append(a, 2);
  const auto crashed = Crash();
  EXPECT_EQ(LossesIn(Crash()->path()), Lost());
  // As if all that was written since the beginning were gone.
  for (const auto& entry : std::filesystem::directory_iterator(crashed->path())) {
    if (entry.path().filename() != "acknowledged") std::filesystem::remove(entry.path());
  }
  std::filesystem::rename(crashed->path() + "/acknowledged", crashed->path() + "/away");
  { const auto empty = RocksStore::Open({.directory = crashed->path()}).value(); }
  std::filesystem::rename(crashed->path() + "/away", crashed->path() + "/acknowledged");
  EXPECT_EQ(LossesIn(crashed->path()).count("a"), 1u);
}

TEST_F(LostLogTest, AcceptedLossesAreNotMissedAgain) {
  Open();
  const StoredModel a = Create("a"), b = Create("b");
  Append(a, 2);
  Append(b, 2);
  Open();
  Append(a, 2);
  Append(b, 2);
  Create("c");
  const auto crashed = Crash();
  DeleteLogs(crashed->path());
  auto store = RocksStore::Open({.directory = crashed->path()}).value();
  EXPECT_EQ(Losses(*store).size(), 3u);
  ASSERT_TRUE(store->AcceptLoss("a").ok());
  EXPECT_EQ(Losses(*store).count("a"), 0u);
  EXPECT_TRUE(Append(*store, a).ok());
  EXPECT_EQ(store->AcknowledgedEnd(a.log), 3u);
  store = nullptr;
  store = RocksStore::Open({.directory = crashed->path()}).value();
  EXPECT_EQ(Losses(*store).size(), 2u);
  ASSERT_TRUE(store->AcceptLoss("").ok());
  store = nullptr;
  EXPECT_EQ(LossesIn(crashed->path()), Lost());
}

TEST_F(LostLogTest, WithoutItsMarksAStoreDoesNotOpen) {
  Open();
  const StoredModel a = Create("a");
  Append(a, 2);
  Open();
  const auto missing = Crash(), damaged = Crash();
  std::filesystem::remove(missing->path() + "/acknowledged");
  std::filesystem::resize_file(damaged->path() + "/acknowledged", 50);
  for (const auto* copy : {missing.get(), damaged.get()}) {
    auto store = RocksStore::Open({.directory = copy->path()});
    EXPECT_TRUE(absl::IsDataLoss(store.status())) << store.status();
    EXPECT_THAT(store.status().ToString(), HasSubstr("prequel-log accept-loss"));
    store = RocksStore::Open({.directory = copy->path(), .read_only = true});
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_TRUE(absl::IsDataLoss((*store)->CheckMarks()));
    store = RocksStore::Open({.directory = copy->path(), .renew_marks = true});
    ASSERT_TRUE(store.ok()) << store.status();
    EXPECT_EQ((*store)->AcknowledgedEnd(a.log), 2u);
    store = absl::UnknownError("closed");
    EXPECT_EQ(LossesIn(copy->path()), Lost());
  }
}

// Without syncing a power loss may take what was answered: nothing is promised, so nothing missed.
TEST_F(LostLogTest, WithoutSyncingOnlyWhatWasSyncedBeforeIsMissed) {
  Open();
  const StoredModel a = Create("a"), b = Create("b");
  Append(a, 2);
  Open(false);
  Append(a, 2);
  Create("c");
  ASSERT_TRUE(store_->catalogue().DeleteModel("b", b.id).ok());
  EXPECT_EQ(LossesIn(Crash()->path()), Lost());
  const auto crashed = Crash();
  DeleteLogs(crashed->path());
  const Lost lost = LossesIn(crashed->path());
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_THAT(lost.at("b"), HasSubstr("its deletion was acknowledged"));
}

}  // namespace
}  // namespace prequel::lost_log_test
