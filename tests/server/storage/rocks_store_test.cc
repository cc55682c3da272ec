// What is RocksStore's own: the directory, and a disk that fails beneath it.
#include "server/storage/rocks_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <string>

#include "tests/server/storage/failing_env.h"
#include "tests/server/storage/test_stores.h"

namespace prequel {
namespace {

using ::testing::HasSubstr;

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
  env_.sync_fails = true;
  EXPECT_EQ(Append(*store, log, 1).code(), absl::StatusCode::kUnknown);
  env_.sync_fails = false;

  EXPECT_EQ(store->Recover().code(), absl::StatusCode::kUnknown) << "not without reading the log";
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
