// The bytes of a data directory.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/storage/log_record.h"
#include "server/storage/model_record.h"
#include "server/storage/snapshot_record.h"
#include "tests/core/golden_file.h"

namespace prequel::golden_test {
namespace {

constexpr LogId kLog{0x0102};
constexpr ModelId kModel{0x0304};

// `current`: what is written now.
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
       {.log = kLog,
        .offset = 3,
        .type = 1,
        .producer = "producer",
        .sequence = 0x0405,
        .time_us = 1'700'000'000'000'000,
        .payload = "batch"}},
      {"record_anonymous", {.log = kLog, .offset = 4, .type = 1, .payload = "batch"}},
      {"record_refusal",
       {.log = kLog,
        .offset = 5,
        .type = 2,
        .producer = "producer",
        .sequence = 0x0406,
        .payload = "refusal"}},
      {"record_rollback", {.log = kLog, .offset = 6, .type = 3, .payload = "state"}}};
  for (const auto& [name, expected] : records) {
    SCOPED_TRACE(name);
    const std::string bytes = Golden(name, ValueOf(expected));
    const absl::StatusOr<LogRecord> record = DecodeRecord(kLog, expected.offset, bytes);
    ASSERT_TRUE(record.ok()) << record.status();
    EXPECT_EQ(record->type, expected.type);
    EXPECT_EQ(record->producer, expected.producer);
    EXPECT_EQ(record->sequence, expected.sequence);
    EXPECT_EQ(record->time_us, expected.time_us);
    EXPECT_EQ(record->payload, expected.payload);
    EXPECT_EQ(ValueOf(expected), bytes);
  }
}

TEST(StorageGoldenTest, ModelRecord) {
  const StoredModel expected{.name = "prices",
                             .id = kModel,
                             .log = kLog,
                             .create_time_us = 1'700'000'000'000'000,
                             .from_snapshot = true,
                             .config = "config"};
  const std::string bytes = Golden("model", EncodeModel(expected));
  const absl::StatusOr<StoredModel> model = DecodeModel(ModelKey(expected), bytes);
  ASSERT_TRUE(model.ok() && model->problem.ok());
  EXPECT_EQ(model->id, kModel);
  EXPECT_EQ(model->log, kLog);
  EXPECT_EQ(model->create_time_us, expected.create_time_us);
  EXPECT_TRUE(model->from_snapshot);
  EXPECT_EQ(model->config, "config");
  EXPECT_EQ(EncodeModel(expected), bytes);
}

TEST(StorageGoldenTest, SnapshotHead) {
  const StoredSnapshot expected{.model = kModel,
                                .log = kLog,
                                .next_offset = 3,
                                .revision = 2,
                                .create_time_us = 1'700'000'000'000'000,
                                .chunks = 1,
                                .bytes = 5,
                                .build = "build"};
  const std::string head = Golden("snapshot_head", EncodeSnapshotHead(expected));
  const StoredSnapshot snapshot = DecodeSnapshotHead(SnapshotKey(kModel, 3), head);
  ASSERT_TRUE(snapshot.problem.ok()) << snapshot.problem;
  EXPECT_EQ(snapshot.model, kModel);
  EXPECT_EQ(snapshot.log, kLog);
  EXPECT_EQ(snapshot.revision, 2);
  EXPECT_EQ(snapshot.create_time_us, expected.create_time_us);
  EXPECT_EQ(snapshot.chunks, 1u);
  EXPECT_EQ(snapshot.bytes, 5u);
  EXPECT_EQ(snapshot.build, "build");
  EXPECT_EQ(EncodeSnapshotHead(expected), head);
}

TEST(StorageGoldenTest, SnapshotChunk) {
  const ModelId model{0x0102};
  const std::string key = SnapshotChunkKey(model, 3, 0);
  const std::string chunk = Golden("snapshot_chunk", EncodeSnapshotChunk(key, "chunk"));
  const StoredSnapshot snapshot{.model = model, .next_offset = 3};
  const absl::StatusOr<std::string_view> content = DecodeSnapshotChunk(snapshot, 0, chunk);
  ASSERT_TRUE(content.ok()) << content.status();
  EXPECT_EQ(*content, "chunk");
  EXPECT_EQ(EncodeSnapshotChunk(key, "chunk"), chunk);
}

TEST(StorageGoldenTest, Numbers) {
  const std::string format = Golden("format", EncodeFormat());
  EXPECT_EQ(DecodeFormat(format).value(), 1u);
  EXPECT_EQ(EncodeFormat(), format);
  const std::string next = Golden("next_id", EncodeNextId(0x0102));
  EXPECT_EQ(DecodeNextId(next).value(), 0x0102u);
  EXPECT_EQ(EncodeNextId(0x0102), next);
}

}  // namespace
}  // namespace prequel::golden_test
