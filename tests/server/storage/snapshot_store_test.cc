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

namespace prequel::snapshot_store_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr ModelId kModel{1};

// The format of server/formats.md, byte by byte: changing it is a new version.
TEST(SnapshotRecordTest, HasTheWrittenFormat) {
  EXPECT_EQ(SnapshotKey(kModel, 2), std::string("\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\2", 16));
  EXPECT_EQ(SnapshotChunkKey(kModel, 2, 3), SnapshotKey(kModel, 2) + std::string("\0\0\0\3", 4));
  const std::string head = EncodeSnapshotHead({.model = kModel,
                                               .log = LogId{7},
                                               .next_offset = 2,
                                               .revision = 3,
                                               .create_time_us = 4,
                                               .chunks = 5,
                                               .bytes = 6,
                                               .build = "build"});
  const std::string body(
      "\1\7\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0\5\0\0\0\6\0\0\0\0\0\0\0build", 42);
  EXPECT_EQ(head.substr(0, 42), body);
  ASSERT_EQ(head.size(), 46u);
  EXPECT_EQ(ReadInteger<std::uint32_t>(head.substr(42)), Crc32c(SnapshotKey(kModel, 2) + body));
  const std::string chunk = EncodeSnapshotChunk(SnapshotChunkKey(kModel, 2, 3), "abc");
  EXPECT_EQ(chunk.substr(0, 4), "\1abc");
  EXPECT_EQ(chunk.size(), 8u);
}

TEST(SnapshotRecordTest, EveryFlippedBitIsDataLoss) {
  const StoredSnapshot snapshot{.model = kModel, .next_offset = 2, .chunks = 1, .build = "b"};
  const std::string key = SnapshotKey(kModel, 2), head = EncodeSnapshotHead(snapshot);
  const std::string chunk = EncodeSnapshotChunk(SnapshotChunkKey(kModel, 2, 0), "bytes");
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

  SnapshotStore& snapshots() { return store_->snapshots(); }

  ModelId Create(const std::string& name) {
    return store_->catalogue().CreateModel(name, "config", 1234, nullptr).value().id;
  }

  // A snapshot of two chunks, the second one large.
  absl::Status Put(ModelId model, std::uint64_t offset,
                   const std::vector<std::uint64_t>& drop = {}) {
    Write(model, offset);
    return snapshots().CommitSnapshot({.model = model,
                                       .log = LogId{77},
                                       .next_offset = offset,
                                       .revision = static_cast<std::int64_t>(offset),
                                       .create_time_us = 5,
                                       .chunks = 2,
                                       .bytes = 1 + kMaxSnapshotChunk,
                                       .build = "build"},
                                      drop);
  }
  void Write(ModelId model, std::uint64_t offset) {
    ASSERT_TRUE(snapshots().WriteSnapshotChunk(model, offset, 0, "x").ok());
    const std::string large(kMaxSnapshotChunk, 'y');
    ASSERT_TRUE(snapshots().WriteSnapshotChunk(model, offset, 1, large).ok());
  }

  std::vector<std::uint64_t> Offsets(ModelId model) {
    std::vector<std::uint64_t> offsets;
    const std::vector<StoredSnapshot> listed = snapshots().ListSnapshots(model).value();
    for (const StoredSnapshot& stored : listed) {
      offsets.push_back(stored.next_offset);
    }
    return offsets;
  }

  absl::StatusOr<std::string> Read(ModelId model, std::uint64_t offset) {
    std::string bytes;
    const std::vector<StoredSnapshot> listed = snapshots().ListSnapshots(model).value();
    for (const StoredSnapshot& stored : listed) {
      if (stored.next_offset != offset) continue;
      const absl::Status status = snapshots().ReadSnapshot(stored, [&](std::string_view chunk) {
        bytes.append(chunk);
        return absl::OkStatus();
      });
      if (!status.ok()) return status;
    }
    return bytes;
  }

  Disk disk_;
  std::unique_ptr<Store> store_;
};

using Disks = ::testing::Types<MemoryTestDisk, RocksTestDisk>;
TYPED_TEST_SUITE(SnapshotStoreTest, Disks, DiskNames);

TYPED_TEST(SnapshotStoreTest, KeepsWhatWasCommitted) {
  const ModelId model = this->Create("a"), other = this->Create("b");
  ASSERT_TRUE(this->Put(model, 4).ok());
  ASSERT_TRUE(this->Put(model, 7).ok());
  for (int reopened = 0; reopened < 2; ++reopened) {
    EXPECT_THAT(this->Offsets(model), ElementsAre(4, 7));
    EXPECT_THAT(this->Offsets(other), IsEmpty());
    const StoredSnapshot stored = this->snapshots().ListSnapshots(model)->back();
    EXPECT_TRUE(stored.problem.ok());
    EXPECT_EQ(stored.revision, 7);
    EXPECT_EQ(stored.create_time_us, 5);
    EXPECT_EQ(stored.build, "build");
    EXPECT_EQ(stored.log, LogId{77});
    EXPECT_EQ(*this->Read(model, 7), "x" + std::string(kMaxSnapshotChunk, 'y'));
    this->Reopen();
  }
}

TYPED_TEST(SnapshotStoreTest, DropsWithTheCommit) {
  const ModelId model = this->Create("a");
  ASSERT_TRUE(this->Put(model, 4).ok());
  ASSERT_TRUE(this->Put(model, 7).ok());
  ASSERT_TRUE(this->Put(model, 10, {4}).ok());
  for (int reopened = 0; reopened < 2; ++reopened) {
    EXPECT_THAT(this->Offsets(model), ElementsAre(7, 10));
    EXPECT_TRUE(this->Read(model, 7).ok());
    this->Reopen();
  }
}

TYPED_TEST(SnapshotStoreTest, WhatWasNotCommittedIsNothing) {
  const ModelId model = this->Create("a");
  this->Write(model, 3);
  this->Reopen();
  EXPECT_THAT(this->Offsets(model), IsEmpty());
  this->Write(model, 5);
  ASSERT_TRUE(this->Put(model, 7).ok());
  EXPECT_THAT(this->Offsets(model), ElementsAre(7));
  EXPECT_EQ(this->Read(model, 7)->size(), 1 + kMaxSnapshotChunk);
}

TYPED_TEST(SnapshotStoreTest, ADamagedOrMissingChunkIsNamed) {
  const ModelId model = this->Create("a");
  ASSERT_TRUE(this->Put(model, 4).ok());
  ASSERT_TRUE(this->Put(model, 7).ok());
  this->store_.reset();
  this->disk_.CorruptSnapshotChunk(model, 7, 1);
  this->Reopen();
  const absl::Status status = this->Read(model, 7).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("model 1, snapshot at offset 7: chunk 1"));
  EXPECT_TRUE(this->Read(model, 4).ok());
  const StoredSnapshot more{.model = model, .next_offset = 4, .chunks = 3};
  EXPECT_EQ(this->snapshots()
                .ReadSnapshot(more, [](std::string_view) { return absl::OkStatus(); })
                .code(),
            absl::StatusCode::kDataLoss);
}

TYPED_TEST(SnapshotStoreTest, AModelMayBeginWithOne) {
  FirstSnapshot first{.revision = 9, .build = "build", .write = [](FirstSnapshot::Sink sink) {
                        (void)sink("first ");
                        return sink("second");
                      }};
  const StoredModel model = this->store_->catalogue().CreateModel("a", "config", 1, &first).value();
  EXPECT_TRUE(model.from_snapshot);
  const FirstSnapshot failing{.write = [](FirstSnapshot::Sink sink) {
    (void)sink("first ");
    return absl::InternalError("no more");
  }};
  EXPECT_EQ(this->store_->catalogue().CreateModel("b", "config", 1, &failing).status().code(),
            absl::StatusCode::kInternal);
  const ModelId next = this->Create("c");
  EXPECT_THAT(this->Offsets(next), IsEmpty()) << "what failed is nothing";
  this->Reopen();
  const std::vector<StoredModel> models = this->store_->catalogue().ListModels().value();
  ASSERT_EQ(models.size(), 2u);
  EXPECT_TRUE(models[0].from_snapshot);
  EXPECT_FALSE(models[1].from_snapshot);
  EXPECT_THAT(this->Offsets(model.id), ElementsAre(0));
  EXPECT_EQ(*this->Read(model.id, 0), "first second");
  EXPECT_EQ(this->snapshots().ListSnapshots(model.id)->front().revision, 9);
}

TYPED_TEST(SnapshotStoreTest, GoWithTheirModel) {
  const ModelId model = this->Create("a"), other = this->Create("b");
  ASSERT_TRUE(this->Put(model, 4).ok());
  ASSERT_TRUE(this->Put(other, 4).ok());
  ASSERT_TRUE(this->store_->catalogue().DeleteModel("a", model).ok());
  EXPECT_THAT(this->Offsets(model), IsEmpty());
  EXPECT_THAT(this->Offsets(other), ElementsAre(4));
}

}  // namespace
}  // namespace prequel::snapshot_store_test
