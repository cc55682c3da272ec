// The contract of server/storage/snapshot_store.h, for every store, and the bytes on disk.
#include "server/storage/snapshot_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "server/storage/bytes.h"
#include "server/storage/snapshot_record.h"
#include "tests/server/storage/test_stores.h"

namespace prequel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The format of server/README.md, byte by byte: changing it is a new version.
TEST(SnapshotRecordTest, HasTheWrittenFormat) {
  EXPECT_EQ(SnapshotKey(1, 2), std::string("\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\2", 16));
  EXPECT_EQ(SnapshotChunkKey(1, 2, 3), SnapshotKey(1, 2) + std::string("\0\0\0\3", 4));
  const std::string head = EncodeSnapshotHead({.log = 1,
                                               .next_offset = 2,
                                               .revision = 3,
                                               .create_time_us = 4,
                                               .chunks = 5,
                                               .bytes = 6,
                                               .build = "build"});
  const std::string body("\1\3\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0\5\0\0\0\6\0\0\0\0\0\0\0build", 34);
  EXPECT_EQ(head.substr(0, 34), body);
  ASSERT_EQ(head.size(), 38u);
  EXPECT_EQ(ReadInteger<std::uint32_t>(head.substr(34)), Crc32c(SnapshotKey(1, 2) + body));
  const std::string chunk = EncodeSnapshotChunk(SnapshotChunkKey(1, 2, 3), "abc");
  EXPECT_EQ(chunk.substr(0, 4), "\1abc");
  EXPECT_EQ(chunk.size(), 8u);
}

TEST(SnapshotRecordTest, EveryFlippedBitIsDataLoss) {
  const StoredSnapshot snapshot{.log = 1, .next_offset = 2, .chunks = 1, .build = "b"};
  const std::string key = SnapshotKey(1, 2), head = EncodeSnapshotHead(snapshot);
  const std::string chunk = EncodeSnapshotChunk(SnapshotChunkKey(1, 2, 0), "bytes");
  EXPECT_TRUE(DecodeSnapshotHead(key, head).problem.ok());
  EXPECT_EQ(*DecodeSnapshotChunk(snapshot, 0, chunk), "bytes");
  const auto flipped = [](std::string bytes, std::size_t bit) {
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    return bytes;
  };
  for (std::size_t bit = 0; bit < 8 * head.size(); ++bit) {
    const StoredSnapshot decoded = DecodeSnapshotHead(key, flipped(head, bit));
    EXPECT_EQ(decoded.problem.code(), absl::StatusCode::kDataLoss) << bit;
    EXPECT_EQ(decoded.next_offset, 2u);
  }
  for (std::size_t bit = 0; bit < 8 * chunk.size(); ++bit) {
    const absl::Status status = DecodeSnapshotChunk(snapshot, 0, flipped(chunk, bit)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << bit;
  }
  EXPECT_FALSE(DecodeSnapshotChunk(snapshot, 1, chunk).ok()) << "the right bytes, another place";
}

template <class Disk>
class SnapshotStoreTest : public ::testing::Test {
 protected:
  SnapshotStoreTest() { Reopen(); }

  void Reopen() {
    store_.reset();
    store_ = disk_.Open().value();
  }

  LogId Create(const std::string& name) {
    return store_->CreateModel(name, "config", 1234, nullptr).value().log;
  }

  void Append(LogId log, std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t offset = from; offset < to; ++offset) {
      const LogRecord record{.log = log, .offset = offset, .payload = "record"};
      ASSERT_TRUE(store_->Append({&record, 1}).ok());
    }
  }

  // A snapshot of two chunks, the second one large.
  absl::Status Put(LogId log, std::uint64_t offset, const std::vector<std::uint64_t>& drop = {},
                   std::uint64_t keep_from = 0) {
    Write(log, offset);
    return store_->CommitSnapshot({.log = log,
                                   .next_offset = offset,
                                   .revision = static_cast<std::int64_t>(offset),
                                   .create_time_us = 5,
                                   .chunks = 2,
                                   .bytes = 1 + kMaxSnapshotChunk,
                                   .build = "build"},
                                  drop, keep_from);
  }
  void Write(LogId log, std::uint64_t offset) {
    ASSERT_TRUE(store_->WriteSnapshotChunk(log, offset, 0, "x").ok());
    ASSERT_TRUE(
        store_->WriteSnapshotChunk(log, offset, 1, std::string(kMaxSnapshotChunk, 'y')).ok());
  }

  std::vector<std::uint64_t> Offsets(LogId log) {
    std::vector<std::uint64_t> offsets;
    const std::vector<StoredSnapshot> snapshots = store_->ListSnapshots(log).value();
    for (const StoredSnapshot& stored : snapshots) {
      offsets.push_back(stored.next_offset);
    }
    return offsets;
  }

  absl::StatusOr<std::string> Read(LogId log, std::uint64_t offset) {
    std::string bytes;
    const std::vector<StoredSnapshot> snapshots = store_->ListSnapshots(log).value();
    for (const StoredSnapshot& stored : snapshots) {
      if (stored.next_offset != offset) continue;
      const absl::Status status = store_->ReadSnapshot(stored, [&](std::string_view chunk) {
        bytes.append(chunk);
        return absl::OkStatus();
      });
      if (!status.ok()) return status;
    }
    return bytes;
  }

  std::size_t Records(LogId log, std::uint64_t from) {
    std::size_t records = 0;
    status_ = store_->Read(log, from, 1000, [&](const LogRecord&) {
      ++records;
      return absl::OkStatus();
    });
    return records;
  }

  Disk disk_;
  std::unique_ptr<Store> store_;
  absl::Status status_;
};

using Disks = ::testing::Types<MemoryTestDisk, RocksTestDisk>;
TYPED_TEST_SUITE(SnapshotStoreTest, Disks);

TYPED_TEST(SnapshotStoreTest, KeepsWhatWasCommitted) {
  const LogId log = this->Create("a"), other = this->Create("b");
  this->Append(log, 0, 10);
  ASSERT_TRUE(this->Put(log, 4).ok());
  ASSERT_TRUE(this->Put(log, 7).ok());
  for (int reopened = 0; reopened < 2; ++reopened) {
    EXPECT_THAT(this->Offsets(log), ElementsAre(4, 7));
    EXPECT_THAT(this->Offsets(other), IsEmpty());
    const StoredSnapshot stored = this->store_->ListSnapshots(log)->back();
    EXPECT_TRUE(stored.problem.ok());
    EXPECT_EQ(stored.revision, 7);
    EXPECT_EQ(stored.create_time_us, 5);
    EXPECT_EQ(stored.build, "build");
    EXPECT_EQ(*this->Read(log, 7), "x" + std::string(kMaxSnapshotChunk, 'y'));
    this->Reopen();
  }
}

TYPED_TEST(SnapshotStoreTest, DropsAndTruncatesWithTheCommit) {
  const LogId log = this->Create("a"), other = this->Create("b");
  this->Append(log, 0, 10);
  this->Append(other, 0, 3);
  ASSERT_TRUE(this->Put(log, 4).ok());
  ASSERT_TRUE(this->Put(log, 7).ok());
  ASSERT_TRUE(this->Put(log, 10, {4}, 6).ok());
  for (int reopened = 0; reopened < 2; ++reopened) {
    EXPECT_THAT(this->Offsets(log), ElementsAre(7, 10));
    EXPECT_EQ(this->Records(log, 6), 4u);
    EXPECT_EQ(this->Records(log, 0), 0u);
    EXPECT_EQ(this->status_.code(), absl::StatusCode::kDataLoss) << "not an empty log";
    EXPECT_EQ(this->Records(other, 0), 3u);
    this->Reopen();
  }
  this->Append(log, 10, 11);
  EXPECT_EQ(this->Records(log, 10), 1u);
}

TYPED_TEST(SnapshotStoreTest, WhatWasNotCommittedIsNothing) {
  const LogId log = this->Create("a");
  this->Write(log, 3);
  this->Reopen();
  EXPECT_THAT(this->Offsets(log), IsEmpty());
  this->Write(log, 5);
  ASSERT_TRUE(this->Put(log, 7).ok());
  EXPECT_THAT(this->Offsets(log), ElementsAre(7));
  EXPECT_EQ(this->Read(log, 7)->size(), 1 + kMaxSnapshotChunk);
}

TYPED_TEST(SnapshotStoreTest, ADamagedOrMissingChunkIsNamed) {
  const LogId log = this->Create("a");
  ASSERT_TRUE(this->Put(log, 4).ok());
  ASSERT_TRUE(this->Put(log, 7).ok());
  this->store_.reset();
  this->disk_.CorruptSnapshotChunk(log, 7, 1);
  this->Reopen();
  const absl::Status status = this->Read(log, 7).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("log 1, snapshot at offset 7: chunk 1"));
  EXPECT_TRUE(this->Read(log, 4).ok());
  const StoredSnapshot more{.log = log, .next_offset = 4, .chunks = 3};
  EXPECT_EQ(
      this->store_->ReadSnapshot(more, [](std::string_view) { return absl::OkStatus(); }).code(),
      absl::StatusCode::kDataLoss);
}

TYPED_TEST(SnapshotStoreTest, AModelMayBeginWithOne) {
  FirstSnapshot first{.revision = 9, .build = "build", .write = [](FirstSnapshot::Sink sink) {
                        (void)sink("first ");
                        return sink("second");
                      }};
  const StoredModel model = this->store_->CreateModel("a", "config", 1, &first).value();
  EXPECT_TRUE(model.from_snapshot);
  const FirstSnapshot failing{.write = [](FirstSnapshot::Sink sink) {
    (void)sink("first ");
    return absl::InternalError("no more");
  }};
  EXPECT_EQ(this->store_->CreateModel("b", "config", 1, &failing).status().code(),
            absl::StatusCode::kInternal);
  const LogId next = this->Create("c");
  EXPECT_THAT(this->Offsets(next), IsEmpty()) << "what failed is nothing";
  this->Reopen();
  const std::vector<StoredModel> models = this->store_->ListModels().value();
  ASSERT_EQ(models.size(), 2u);
  EXPECT_TRUE(models[0].from_snapshot);
  EXPECT_FALSE(models[1].from_snapshot);
  EXPECT_THAT(this->Offsets(model.log), ElementsAre(0));
  EXPECT_EQ(*this->Read(model.log, 0), "first second");
  EXPECT_EQ(this->store_->ListSnapshots(model.log)->front().revision, 9);
}

TYPED_TEST(SnapshotStoreTest, GoWithTheirModel) {
  const LogId log = this->Create("a"), other = this->Create("b");
  ASSERT_TRUE(this->Put(log, 4).ok());
  ASSERT_TRUE(this->Put(other, 4).ok());
  ASSERT_TRUE(this->store_->DeleteModel("a", log).ok());
  EXPECT_THAT(this->Offsets(log), IsEmpty());
  EXPECT_THAT(this->Offsets(other), ElementsAre(4));
}

}  // namespace
}  // namespace prequel
