// What is RocksStore's own: the directory, and a disk that fails beneath it.
#include "server/storage/rocks/rocks_store.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "server/storage/bytes.h"
#include "tests/server/storage/rocks/failing_env.h"
#include "tests/server/storage/test_stores.h"

namespace prequel::rocks_store_test {
namespace {

using ::testing::HasSubstr;

class RocksStoreTest : public ::testing::Test {
 protected:
  std::unique_ptr<RocksStore> Open() {
    auto store = RocksStore::Open({.directory = directory_.path(), .env = &env_});
    EXPECT_TRUE(store.ok()) << store.status();
    return store.ok() ? *std::move(store) : nullptr;
  }

  static StoredModel Create(Store& store) {
    return store.catalogue().CreateModel("a", "", 0, nullptr).value();
  }

  static absl::Status Append(Store& store, const StoredModel& model, std::uint64_t offset) {
    LogRecord record{.log = model.log, .payload = "payload"};
    absl::Status status = store.log().Append({&record, 1});
    if (status.ok()) {
      EXPECT_EQ(record.offset, offset);
    }
    return status;
  }

  static int Records(Store& store, const StoredModel& model) {
    int count = 0;
    const absl::Status status = VisitLog(store.log(), model.log, 0, [&](const LogRecord&) {
      ++count;
      return absl::OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status;
    return count;
  }

  // Of megabytes, so many; the first error.
  static absl::Status WriteChunks(Store& store, const StoredModel& model, std::uint64_t offset,
                                  std::uint32_t chunks) {
    absl::Status status;
    for (std::uint32_t i = 0; i < chunks && status.ok(); ++i) {
      status = store.snapshots().WriteSnapshotChunk(model.id, offset, i,
                                                    std::string(kMaxSnapshotChunk, 'x'));
    }
    return status;
  }
  static StoredSnapshot Head(const StoredModel& model, std::uint64_t offset, std::uint32_t chunks) {
    return {.model = model.id,
            .log = model.log,
            .next_offset = offset,
            .chunks = chunks,
            .bytes = chunks * kMaxSnapshotChunk};
  }
  static std::uint64_t BytesRead(Store& store, const StoredSnapshot& snapshot) {
    std::uint64_t bytes = 0;
    const absl::Status status =
        store.snapshots().ReadSnapshot(snapshot, [&](std::string_view chunk) {
          bytes += chunk.size();
          return absl::OkStatus();
        });
    EXPECT_TRUE(status.ok()) << status;
    return bytes;
  }
  int Unfinished() const {
    int files = 0;
    for (const auto& file : std::filesystem::directory_iterator(directory_.path())) {
      files += file.path().extension() == ".unfinished";
    }
    return files;
  }

  TemporaryDirectory directory_;
  FailingEnv env_;
};

TEST_F(RocksStoreTest, AfterAFailedSyncRefusesWritesUntilReopened) {
  std::unique_ptr<RocksStore> store = Open();
  const StoredModel model = Create(*store);
  ASSERT_TRUE(Append(*store, model, 0).ok());
  env_.sync_fails = true;
  EXPECT_EQ(Append(*store, model, 1).code(), absl::StatusCode::kUnknown);
  env_.sync_fails = false;

  EXPECT_EQ(store->Recover().code(), absl::StatusCode::kUnknown) << "not without reading the log";
  const absl::Status refused = Append(*store, model, 1);
  EXPECT_EQ(refused.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("injected"));
  EXPECT_EQ(store->catalogue().CreateModel("b", "", 0, nullptr).status().code(),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(store->catalogue().DeleteModel("a", model.id).code(), absl::StatusCode::kUnavailable);
  EXPECT_FALSE(store->health().ok());
  EXPECT_GE(Records(*store, model), 1) << "reads go on";

  store.reset();
  store = Open();
  EXPECT_TRUE(store->health().ok());
  const int records = Records(*store, model);
  EXPECT_GE(records, 1) << "what was acknowledged";
  EXPECT_TRUE(Append(*store, model, static_cast<std::uint64_t>(records)).ok());
}

TEST_F(RocksStoreTest, ADiskThatFillsUpWithASnapshotCostsThatOneOnly) {
  const std::unique_ptr<RocksStore> store = Open();
  const StoredModel model = Create(*store);
  ASSERT_TRUE(Append(*store, model, 0).ok());
  env_.appends_left = 5;
  absl::Status failed = WriteChunks(*store, model, 1, 20);
  if (failed.ok()) failed = store->snapshots().CommitSnapshot(Head(model, 1, 20), {});
  EXPECT_EQ(failed.code(), absl::StatusCode::kResourceExhausted) << failed;
  EXPECT_EQ(Unfinished(), 0) << "its room is given back";
  env_.appends_left = -1;
  env_.room = FailingEnv::Room::kEnough;
  EXPECT_TRUE(store->health().ok());
  EXPECT_TRUE(Append(*store, model, 1).ok());
  EXPECT_FALSE(store->snapshots().CommitSnapshot(Head(model, 1, 20), {}).ok());

  ASSERT_TRUE(WriteChunks(*store, model, 2, 20).ok());
  const StoredSnapshot head = Head(model, 2, 20);
  ASSERT_TRUE(store->snapshots().CommitSnapshot(head, {}).ok());
  EXPECT_EQ(BytesRead(*store, head), head.bytes);
  EXPECT_EQ(Unfinished(), 0);
}

TEST_F(RocksStoreTest, ASnapshotGivesWayWhenTheStoreRefusesWrites) {
  const std::unique_ptr<RocksStore> store = Open();
  const StoredModel model = Create(*store);
  ASSERT_TRUE(WriteChunks(*store, model, 1, 3).ok());
  EXPECT_EQ(Unfinished(), 1);
  env_.sync_fails = true;
  ASSERT_FALSE(Append(*store, model, 0).ok());
  const absl::Status refused = store->snapshots().WriteSnapshotChunk(model.id, 1, 3, "chunk");
  EXPECT_EQ(refused.code(), absl::StatusCode::kUnavailable) << refused;
  EXPECT_EQ(Unfinished(), 0);
}

TEST_F(RocksStoreTest, AModelThatIsNotCreatedAfterAllLeavesNothing) {
  const std::unique_ptr<RocksStore> store = Open();
  const FirstSnapshot first{.write = [](FirstSnapshot::Sink sink) {
    absl::Status status;
    for (int i = 0; i < 3 && status.ok(); ++i) status = sink("chunk");
    return status.ok() ? absl::DataLossError("no more") : status;
  }};
  EXPECT_EQ(store->catalogue().CreateModel("a", "", 0, &first).status().code(),
            absl::StatusCode::kDataLoss);
  EXPECT_EQ(Unfinished(), 0);
  EXPECT_TRUE(store->catalogue().ListModels()->empty());
}

TEST_F(RocksStoreTest, AnUnfinishedSnapshotIsDeletedByTheNextServerOnly) {
  std::unique_ptr<RocksStore> store = Open();
  const StoredModel model = Create(*store);
  ASSERT_TRUE(WriteChunks(*store, model, 1, 3).ok());
  EXPECT_EQ(Unfinished(), 1);
  EXPECT_FALSE(RocksStore::Open({.directory = directory_.path()}).ok());
  EXPECT_EQ(Unfinished(), 1) << "this one is still writing it";
  store.reset();
  EXPECT_EQ(Unfinished(), 0);

  std::ofstream(directory_.path() + "/snapshot-1.unfinished") << "as a crash leaves it";
  store = Open();
  EXPECT_EQ(Unfinished(), 0);
}

TEST_F(RocksStoreTest, ALargeSnapshotThatIsForgottenGivesItsRoomBack) {
  constexpr std::uint32_t kChunks = 8;
  constexpr std::uint64_t kSnapshots = 8;
  const std::unique_ptr<RocksStore> store = Open();
  const StoredModel model = Create(*store);
  for (std::uint64_t offset = 1; offset <= kSnapshots; ++offset) {
    ASSERT_TRUE(WriteChunks(*store, model, offset, kChunks).ok());
    const std::vector<std::uint64_t> drop = {offset - 1};
    ASSERT_TRUE(store->snapshots().CommitSnapshot(Head(model, offset, kChunks), drop).ok());
  }
  const auto taken = [this] {
    std::uintmax_t bytes = 0;
    std::error_code gone;
    for (const auto& file : std::filesystem::directory_iterator(directory_.path())) {
      const std::uintmax_t size = file.file_size(gone);
      if (!gone) bytes += size;
    }
    return bytes;
  };
  // Two of them at the most, and what was the first chunk of each.
  constexpr std::uintmax_t kEnough = (2 * kChunks + 2 * kSnapshots) * kMaxSnapshotChunk;
  for (int i = 0; i < 1000 && taken() > kEnough; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_LE(taken(), kEnough);
  EXPECT_EQ(BytesRead(*store, Head(model, kSnapshots, kChunks)), kChunks * kMaxSnapshotChunk);
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
  ASSERT_NE(Open(), nullptr);
  const std::string lock = directory_.path() + "/LOCK";
  int held[2];
  ASSERT_EQ(pipe(held), 0);
  // The other process does no more than hold the lock, as RocksDB would there: a sanitizer allows
  // it no threads.
  const pid_t other = fork();
  if (other == 0) {
    const int file = open(lock.c_str(), O_RDWR);
    struct flock whole {};
    whole.l_type = F_WRLCK;
    const char result = fcntl(file, F_SETLK, &whole) == 0 ? 'y' : 'n';
    if (write(held[1], &result, 1) == 1) pause();
    _exit(0);
  }
  char result = 'n';
  ASSERT_EQ(read(held[0], &result, 1), 1);
  ASSERT_EQ(result, 'y');
  const absl::Status status = RocksStore::Open({.directory = directory_.path()}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("in use"));
  EXPECT_EQ(kill(other, SIGKILL), 0);
  EXPECT_EQ(waitpid(other, nullptr, 0), other);
  close(held[0]);
  close(held[1]);
  EXPECT_NE(Open(), nullptr);
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

// Format 2 was one that no release had; so was a format 1 without the number of the next id.
TEST_F(RocksStoreTest, RefusesTheDirectoryOfABuildBeforeTheFirstRelease) {
  for (const bool numbered : {true, false}) {
    const std::string path = directory_.path() + (numbered ? "/numbered" : "/unnumbered");
    ASSERT_TRUE(RocksStore::Open({.directory = path}).ok());
    rocksdb::Options options;
    const std::vector<std::string> names = {"default", "models", "log", "snapshots"};
    std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
    for (const std::string& name : names) descriptors.emplace_back(name, options);
    std::vector<rocksdb::ColumnFamilyHandle*> families;
    rocksdb::DB* opened = nullptr;
    ASSERT_TRUE(rocksdb::DB::Open(options, path, descriptors, &families, &opened).ok());
    const std::unique_ptr<rocksdb::DB> db(opened);
    std::string value;
    AppendInteger(std::uint32_t{2}, &value);
    AppendCrc("format", &value);
    ASSERT_TRUE((numbered ? db->Put({}, "format", value) : db->Delete({}, "next_id")).ok());
    for (auto* family : families) ASSERT_TRUE(db->DestroyColumnFamilyHandle(family).ok());
    ASSERT_TRUE(db->Close().ok());
    const absl::Status status = RocksStore::Open({.directory = path}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("made by another build"));
  }
}

TEST_F(RocksStoreTest, KeepsAValueOf64MiB) {
  const std::string payload(std::size_t{64} << 20, 'q');
  std::unique_ptr<RocksStore> store = Open();
  const StoredModel model = Create(*store);
  LogRecord record{.log = model.log, .payload = payload};
  ASSERT_TRUE(store->log().Append({&record, 1}).ok());
  store.reset();
  store = Open();
  const auto visit = [&payload](const LogRecord& read) {
    EXPECT_TRUE(read.payload == payload);
    return absl::OkStatus();
  };
  ASSERT_TRUE(VisitLog(store->log(), model.log, 0, visit).ok());
}

// RocksDB would begin anew there, and delete the rest.
TEST_F(RocksStoreTest, WithoutCurrentNothingIsTouched) {
  {
    const auto store = Open();
    const StoredModel model = Create(*store);
    ASSERT_TRUE(Append(*store, model, 0).ok());
  }
  { const auto tables = Open(); }
  const std::filesystem::path current = directory_.path() + "/CURRENT";
  std::filesystem::rename(current, directory_.path() + "/away");
  const auto names = [this] {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path())) {
      found.insert(entry.path().filename());
    }
    return found;
  };
  const std::set<std::string> before = names();
  const auto expect_refused = [&](bool read_only, bool renew_marks) {
    const auto store = RocksStore::Open(
        {.directory = directory_.path(), .read_only = read_only, .renew_marks = renew_marks});
    EXPECT_TRUE(absl::IsDataLoss(store.status())) << store.status();
    EXPECT_THAT(store.status().ToString(), HasSubstr("lost its file CURRENT"));
    EXPECT_EQ(names(), before);
  };
  for (int start = 0; start < 2; ++start) expect_refused(false, false);
  expect_refused(true, false);
  expect_refused(false, true);
  for (const std::string& name : before) {
    if (name.ends_with(".log")) std::filesystem::remove(directory_.path() + "/" + name);
  }
  const auto store = RocksStore::Open({.directory = directory_.path()});
  EXPECT_TRUE(absl::IsDataLoss(store.status())) << "the tables are there";
  std::filesystem::rename(directory_.path() + "/away", current);
  EXPECT_EQ(Open()->catalogue().ListModels().value().size(), 1u);
}

TEST_F(RocksStoreTest, OpensWhatIsThereOrBeginsAnewAsItIsTold) {
  const std::string none = directory_.path() + "/none";
  auto store = RocksStore::Open({.directory = none, .create = false});
  EXPECT_TRUE(absl::IsNotFound(store.status())) << store.status();
  EXPECT_FALSE(std::filesystem::exists(none));
  // What a server leaves that is killed as it makes its first files.
  std::filesystem::create_directory(none);
  std::ofstream(none + "/MANIFEST-000001") << "begun";
  EXPECT_TRUE(RocksStore::Open({.directory = none}).ok());
}

}  // namespace
}  // namespace prequel::rocks_store_test
