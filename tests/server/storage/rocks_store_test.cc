// What is RocksStore's own: the directory, and a disk that fails beneath it.
#include "server/storage/rocks_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/env.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <memory>
#include <string>

#include "tests/server/storage/test_stores.h"

namespace prequel {
namespace {

using ::testing::HasSubstr;

// A file system whose write-ahead log stops working on demand.
class FailingEnv final : public rocksdb::EnvWrapper {
 public:
  FailingEnv() : EnvWrapper(rocksdb::Env::Default()) {}

  rocksdb::Status NewWritableFile(const std::string& name,
                                  std::unique_ptr<rocksdb::WritableFile>* file,
                                  const rocksdb::EnvOptions& options) override {
    const rocksdb::Status status = target()->NewWritableFile(name, file, options);
    if (status.ok() && name.ends_with(".log")) {
      *file = std::make_unique<FailingFile>(std::move(*file), this);
    }
    return status;
  }

  std::atomic<bool> fail_append = false, fail_sync = false;

 private:
  class FailingFile final : public rocksdb::WritableFileWrapper {
   public:
    FailingFile(std::unique_ptr<rocksdb::WritableFile> file, FailingEnv* env)
        : WritableFileWrapper(file.get()), file_(std::move(file)), env_(env) {}
    rocksdb::Status Append(const rocksdb::Slice& data) override {
      if (env_->fail_append) return rocksdb::Status::NoSpace("injected");
      return WritableFileWrapper::Append(data);
    }
    rocksdb::Status Append(const rocksdb::Slice& data,
                           const rocksdb::DataVerificationInfo& info) override {
      if (env_->fail_append) return rocksdb::Status::NoSpace("injected");
      return WritableFileWrapper::Append(data, info);
    }
    rocksdb::Status Sync() override {
      if (env_->fail_sync) return rocksdb::Status::IOError("injected");
      return WritableFileWrapper::Sync();
    }

   private:
    const std::unique_ptr<rocksdb::WritableFile> file_;
    FailingEnv* const env_;
  };
};

class RocksStoreTest : public ::testing::Test {
 protected:
  std::unique_ptr<RocksStore> Open() {
    auto store = RocksStore::Open({.directory = directory_.path(), .env = &env_});
    EXPECT_TRUE(store.ok()) << store.status();
    return store.ok() ? *std::move(store) : nullptr;
  }

  static absl::Status Append(Store& store, LogId log, std::uint64_t offset) {
    const LogRecord record{.log = log, .offset = offset, .payload = "payload"};
    return store.Append({&record, 1});
  }

  static int Records(const Store& store, LogId log) {
    int count = 0;
    EXPECT_TRUE(store
                    .Read(log, 0, 1000,
                          [&](const LogRecord&) {
                            ++count;
                            return absl::OkStatus();
                          })
                    .ok());
    return count;
  }

  TemporaryDirectory directory_;
  FailingEnv env_;
};

TEST_F(RocksStoreTest, AfterAFailedSyncRefusesWritesUntilReopened) {
  std::unique_ptr<RocksStore> store = Open();
  const LogId log = store->CreateModel("a", "", 0, nullptr)->log;
  ASSERT_TRUE(Append(*store, log, 0).ok());
  env_.fail_sync = true;
  EXPECT_EQ(Append(*store, log, 1).code(), absl::StatusCode::kUnknown);
  env_.fail_sync = false;

  const absl::Status refused = Append(*store, log, 1);
  EXPECT_EQ(refused.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("injected"));
  EXPECT_EQ(store->CreateModel("b", "", 0, nullptr).status().code(),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(store->DeleteModel("a", log).code(), absl::StatusCode::kUnavailable);
  EXPECT_FALSE(store->health().ok());
  EXPECT_GE(Records(*store, log), 1) << "reads go on";

  store.reset();
  store = Open();
  EXPECT_TRUE(store->health().ok());
  const int records = Records(*store, log);
  EXPECT_GE(records, 1) << "what was acknowledged";
  EXPECT_TRUE(Append(*store, log, static_cast<std::uint64_t>(records)).ok());
}

TEST_F(RocksStoreTest, AFullDiskSaysSo) {
  std::unique_ptr<RocksStore> store = Open();
  const LogId log = store->CreateModel("a", "", 0, nullptr)->log;
  ASSERT_TRUE(Append(*store, log, 0).ok());
  env_.fail_append = true;
  const absl::Status full = Append(*store, log, 1);
  EXPECT_EQ(full.code(), absl::StatusCode::kResourceExhausted) << full;
  EXPECT_THAT(std::string(full.message()), HasSubstr("full"));
  EXPECT_EQ(store->health().code(), absl::StatusCode::kResourceExhausted);
  env_.fail_append = false;
  EXPECT_EQ(Append(*store, log, 1).code(), absl::StatusCode::kUnavailable);
  store.reset();
  EXPECT_EQ(Records(*Open(), log), 1);
}

TEST_F(RocksStoreTest, SaysWhyADirectoryCannotBeOpened) {
  EXPECT_EQ(RocksStore::Open({}).status().code(), absl::StatusCode::kInvalidArgument);
  const std::string file = directory_.path() + "/file";
  std::ofstream(file) << "not a directory";
  for (const std::string& path : {file, file + "/below", directory_.path() + "/no/such"}) {
    const absl::Status status = RocksStore::Open({.directory = path}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(path));
  }
}

TEST_F(RocksStoreTest, IsRefusedToAnotherProcess) {
  const std::unique_ptr<RocksStore> store = Open();
  const pid_t child = fork();
  if (child == 0) {
    const absl::Status status = RocksStore::Open({.directory = directory_.path()}).status();
    const bool refused = status.code() == absl::StatusCode::kFailedPrecondition &&
                         status.message().find("in use") != absl::string_view::npos;
    _exit(refused ? 0 : 1);
  }
  int result = -1;
  ASSERT_EQ(waitpid(child, &result, 0), child);
  EXPECT_EQ(result, 0);
}

TEST_F(RocksStoreTest, RefusesTheDirectoryOfANewerVersion) {
  { Open(); }
  rocksdb::DB* db = nullptr;
  const std::string path = directory_.path() + "/newer";
  rocksdb::Options options;
  options.create_if_missing = true;
  ASSERT_TRUE(rocksdb::DB::Open(options, path, &db).ok());
  rocksdb::ColumnFamilyHandle* family = nullptr;
  ASSERT_TRUE(db->CreateColumnFamily({}, "snapshots_of_the_future", &family).ok());
  ASSERT_TRUE(db->DestroyColumnFamilyHandle(family).ok());
  delete db;
  const absl::Status status = RocksStore::Open({.directory = path}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
}

TEST_F(RocksStoreTest, KeepsAValueOf64MiB) {
  const std::string payload(std::size_t{64} << 20, 'q');
  std::unique_ptr<RocksStore> store = Open();
  const LogId log = store->CreateModel("a", "", 0, nullptr)->log;
  const LogRecord record{.log = log, .offset = 0, .payload = payload};
  ASSERT_TRUE(store->Append({&record, 1}).ok());
  store.reset();
  store = Open();
  ASSERT_TRUE(store
                  ->Read(log, 0, 1,
                         [&](const LogRecord& read) {
                           EXPECT_TRUE(read.payload == payload);
                           return absl::OkStatus();
                         })
                  .ok());
}

}  // namespace
}  // namespace prequel
