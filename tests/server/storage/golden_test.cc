// The bytes of version 1 in a data directory, as they were written when it was released.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/storage/record.h"
#include "server/storage/snapshot_record.h"
#include "tests/core/golden_file.h"

namespace prequel {
namespace {

std::string Golden(const std::string& name, const std::string& current) {
  return GoldenFile(std::string(PREQUEL_GOLDEN) + "/" + name + "_v1.bin", current);
}

std::string ValueOf(const LogRecord& record) {
  const RecordFrame frame = FrameRecord(record);
  return std::string(frame.head).append(record.payload).append(frame.tail);
}

TEST(StorageGoldenTest, LogRecords) {
  const std::vector<std::pair<std::string, LogRecord>> records = {
      {"record_minibatch",
       {.log = 0x0102,
        .offset = 3,
        .producer = "producer",
        .sequence = 0x0405,
        .payload = "batch"}},
      {"record_anonymous", {.log = 0x0102, .offset = 4, .payload = "batch"}},
      {"record_refusal",
       {.log = 0x0102,
        .offset = 5,
        .type = RecordType::kRefusal,
        .producer = "producer",
        .sequence = 0x0406,
        .payload = "refusal"}},
      {"record_rollback",
       {.log = 0x0102, .offset = 6, .type = RecordType::kRollback, .payload = "state"}}};
  for (const auto& [name, expected] : records) {
    SCOPED_TRACE(name);
    const std::string bytes = Golden(name, ValueOf(expected));
    const absl::StatusOr<LogRecord> record = DecodeRecord(0x0102, expected.offset, bytes);
    ASSERT_TRUE(record.ok()) << record.status();
    EXPECT_EQ(record->type, expected.type);
    EXPECT_EQ(record->producer, expected.producer);
    EXPECT_EQ(record->sequence, expected.sequence);
    EXPECT_EQ(record->payload, expected.payload);
    EXPECT_EQ(ValueOf(expected), bytes) << "version 1 is the current one";
  }
}

TEST(StorageGoldenTest, ModelRecord) {
  const StoredModel expected{.name = "prices",
                             .log = 0x0102,
                             .create_time_us = 1'700'000'000'000'000,
                             .from_snapshot = true,
                             .config = "config"};
  const std::string bytes = Golden("model", EncodeModel(expected));
  const absl::StatusOr<StoredModel> model = DecodeModel(ModelKey("prices", 0x0102), bytes);
  ASSERT_TRUE(model.ok() && model->problem.ok());
  EXPECT_EQ(model->create_time_us, expected.create_time_us);
  EXPECT_TRUE(model->from_snapshot);
  EXPECT_EQ(model->config, "config");
  EXPECT_EQ(EncodeModel(expected), bytes) << "version 1 is the current one";
}

TEST(StorageGoldenTest, Snapshot) {
  const StoredSnapshot expected{.log = 0x0102,
                                .next_offset = 3,
                                .revision = 2,
                                .create_time_us = 1'700'000'000'000'000,
                                .chunks = 1,
                                .bytes = 5,
                                .build = "build"};
  const std::string key = SnapshotKey(0x0102, 3), chunk_key = SnapshotChunkKey(0x0102, 3, 0);
  const std::string head = Golden("snapshot_head", EncodeSnapshotHead(expected));
  const StoredSnapshot snapshot = DecodeSnapshotHead(key, head);
  ASSERT_TRUE(snapshot.problem.ok()) << snapshot.problem;
  EXPECT_EQ(snapshot.revision, 2);
  EXPECT_EQ(snapshot.create_time_us, expected.create_time_us);
  EXPECT_EQ(snapshot.chunks, 1u);
  EXPECT_EQ(snapshot.bytes, 5u);
  EXPECT_EQ(snapshot.build, "build");
  EXPECT_EQ(EncodeSnapshotHead(expected), head) << "version 1 is the current one";
  const std::string chunk = Golden("snapshot_chunk", EncodeSnapshotChunk(chunk_key, "chunk"));
  const absl::StatusOr<std::string_view> content = DecodeSnapshotChunk(snapshot, 0, chunk);
  ASSERT_TRUE(content.ok()) << content.status();
  EXPECT_EQ(*content, "chunk");
  EXPECT_EQ(EncodeSnapshotChunk(chunk_key, "chunk"), chunk) << "version 1 is the current one";
}

TEST(StorageGoldenTest, Numbers) {
  const std::string format = Golden("format", EncodeFormat());
  EXPECT_EQ(DecodeFormat(format).value(), 1u);
  EXPECT_EQ(EncodeFormat(), format);
  const std::string next = Golden("next_log_id", EncodeNextLogId(0x0102));
  EXPECT_EQ(DecodeNextLogId(next).value(), 0x0102u);
  EXPECT_EQ(EncodeNextLogId(0x0102), next);
}

}  // namespace
}  // namespace prequel
