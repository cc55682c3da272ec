#include "server/storage/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/archive/crc32c.h"

namespace prequel {
namespace {

using ::testing::HasSubstr;

std::string ValueOf(const LogRecord& record) {
  const RecordFrame frame = FrameRecord(record);
  return std::string(frame.head).append(record.payload).append(frame.tail);
}

// Replaces the checksum by the right one for `value` under `key`.
std::string Reseal(std::string_view key, std::string value) {
  value.resize(value.size() - 4);
  const std::uint32_t crc = Crc32c(value, Crc32c(key));
  return value.append(reinterpret_cast<const char*>(&crc), 4);
}

// The format of server/README.md, byte by byte: changing it is a new version.
TEST(RecordTest, HasTheWrittenFormat) {
  EXPECT_EQ(LogKey(0x0102, 3), std::string("\0\0\0\0\0\0\1\2\0\0\0\0\0\0\0\3", 16));
  const std::string value = ValueOf({.log = 0x0102, .offset = 3, .payload = "abc"});
  ASSERT_EQ(value.size(), 3 + 8 + 3 + 4u);
  EXPECT_EQ(value.substr(0, 14), std::string("\1\1\0\0\0\0\0\0\0\0\0abc", 14));
  std::uint32_t crc = 0;
  std::memcpy(&crc, value.data() + 14, 4);
  EXPECT_EQ(crc, Crc32c(LogKey(0x0102, 3) + value.substr(0, 14)));
  const std::string numbered = ValueOf(
      {.type = RecordType::kRefusal, .producer = "pq", .sequence = 0x0304, .payload = "abc"});
  EXPECT_EQ(numbered.substr(0, 16), std::string("\1\2\2pq\4\3\0\0\0\0\0\0abc", 16));

  EXPECT_EQ(ModelKey("ab", 5), std::string("ab\0\0\0\0\0\0\0\0\5", 11));
  const std::string model =
      EncodeModel({.name = "ab", .log = 5, .create_time_us = 0x0102, .config = "cfg"});
  EXPECT_EQ(model.substr(0, 13), std::string("\1\0\2\1\0\0\0\0\0\0cfg", 13));
  EXPECT_EQ(model.size(), 13 + 4u);
}

TEST(RecordTest, RoundTrips) {
  for (const std::string& payload : {std::string(), std::string("x"), std::string(1 << 20, 'y')}) {
    const std::string producer(payload.size() % 129, 'p');
    const std::string value =
        ValueOf({.log = 7, .offset = 9, .producer = producer, .sequence = 11, .payload = payload});
    const absl::StatusOr<LogRecord> record = DecodeRecord(7, 9, value);
    ASSERT_TRUE(record.ok()) << record.status();
    EXPECT_EQ(record->payload, payload);
    EXPECT_EQ(record->producer, producer);
    EXPECT_EQ(record->sequence, 11u);
    EXPECT_EQ(record->log, 7u);
    EXPECT_EQ(record->offset, 9u);
  }
}

TEST(RecordTest, EveryFlippedBitAndEveryTruncationIsDataLoss) {
  const std::string value = ValueOf({.log = 7, .offset = 9, .payload = "minibatch"});
  for (std::size_t bit = 0; bit < 8 * value.size(); ++bit) {
    std::string damaged = value;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_EQ(DecodeRecord(7, 9, damaged).status().code(), absl::StatusCode::kDataLoss) << bit;
  }
  for (std::size_t size = 0; size < value.size(); ++size) {
    EXPECT_EQ(DecodeRecord(7, 9, value.substr(0, size)).status().code(),
              absl::StatusCode::kDataLoss);
  }
  EXPECT_FALSE(DecodeRecord(7, 8, value).ok()) << "the right bytes under the wrong offset";
  EXPECT_FALSE(DecodeRecord(6, 9, value).ok()) << "the right bytes in the wrong log";
}

TEST(RecordTest, AnUnknownVersionOrTypeIsNamed) {
  std::string value = ValueOf({.log = 7, .offset = 9, .payload = "minibatch"});
  value[0] = 2;
  const absl::Status version = DecodeRecord(7, 9, Reseal(LogKey(7, 9), value)).status();
  EXPECT_EQ(version.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(version.message()), HasSubstr("unknown version 2"));
  EXPECT_THAT(std::string(version.message()), HasSubstr("log 7, record at offset 9"));
  value[0] = 1;
  value[1] = 9;
  EXPECT_THAT(std::string(DecodeRecord(7, 9, Reseal(LogKey(7, 9), value)).status().message()),
              HasSubstr("unknown type 9"));
}

TEST(RecordTest, ADamagedModelStillHasItsNameAndLog) {
  const StoredModel model{.name = "prices", .log = 5, .create_time_us = -3, .config = "bytes"};
  std::string value = EncodeModel(model);
  absl::StatusOr<StoredModel> decoded = DecodeModel(ModelKey("prices", 5), value);
  ASSERT_TRUE(decoded.ok() && decoded->problem.ok());
  EXPECT_EQ(decoded->create_time_us, -3);
  EXPECT_EQ(decoded->config, "bytes");

  value[10] ^= 1;
  decoded = DecodeModel(ModelKey("prices", 5), value);
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->problem.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(decoded->name, "prices");
  EXPECT_EQ(decoded->log, 5u);
  EXPECT_FALSE(DecodeModel("no zero byte", value).ok());
}

TEST(RecordTest, AModelBeginsInOneOfTwoWays) {
  const StoredModel model{.name = "m", .log = 5, .from_snapshot = true, .config = "bytes"};
  std::string value = EncodeModel(model);
  EXPECT_TRUE(DecodeModel(ModelKey("m", 5), value)->from_snapshot);
  value[1] = 2;
  const absl::StatusOr<StoredModel> decoded =
      DecodeModel(ModelKey("m", 5), Reseal(ModelKey("m", 5), value));
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->problem.code(), absl::StatusCode::kDataLoss);
}

TEST(RecordTest, TheMetaValuesRoundTripAndDetectDamage) {
  EXPECT_EQ(DecodeFormat(EncodeFormat()).value(), kStoreFormat);
  std::string next = EncodeNextLogId(77);
  EXPECT_EQ(DecodeNextLogId(next).value(), 77u);
  next[0] ^= 1;
  EXPECT_EQ(DecodeNextLogId(next).status().code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace prequel
