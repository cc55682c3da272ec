#include "server/storage/log_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/archive/crc32c.h"

namespace prequel::log_record_test {
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

// The format of server/formats.md, byte by byte: changing it is a new version.
TEST(LogRecordTest, HasTheWrittenFormat) {
  EXPECT_EQ(LogKey(LogId{0x0102}, 3), std::string("\0\0\0\0\0\0\1\2\0\0\0\0\0\0\0\3", 16));
  const std::string value =
      ValueOf({.log = LogId{0x0102}, .offset = 3, .type = 1, .payload = "abc"});
  ASSERT_EQ(value.size(), 3 + 8 + 8 + 3 + 4u);
  EXPECT_EQ(value.substr(0, 22), "\1\1" + std::string(17, '\0') + "abc");
  std::uint32_t crc = 0;
  std::memcpy(&crc, value.data() + 22, 4);
  EXPECT_EQ(crc, Crc32c(LogKey(LogId{0x0102}, 3) + value.substr(0, 22)));
  const std::string numbered = ValueOf(
      {.type = 2, .producer = "pq", .sequence = 0x0304, .time_us = 0x0506, .payload = "abc"});
  EXPECT_EQ(numbered.substr(0, 24), std::string("\1\2\2pq\4\3\0\0\0\0\0\0\6\5\0\0\0\0\0\0abc", 24));
}

TEST(LogRecordTest, RoundTrips) {
  for (const std::string& payload : {std::string(), std::string("x"), std::string(1 << 20, 'y')}) {
    const std::string producer(payload.size() % 129, 'p');
    const std::string value = ValueOf({.log = LogId{7},
                                       .offset = 9,
                                       .producer = producer,
                                       .sequence = 11,
                                       .time_us = -12,
                                       .payload = payload});
    const absl::StatusOr<LogRecord> record = DecodeRecord(LogId{7}, 9, value);
    ASSERT_TRUE(record.ok()) << record.status();
    EXPECT_EQ(record->payload, payload);
    EXPECT_EQ(record->producer, producer);
    EXPECT_EQ(record->sequence, 11u);
    EXPECT_EQ(record->time_us, -12);
    EXPECT_EQ(record->log, LogId{7});
    EXPECT_EQ(record->offset, 9u);
  }
}

TEST(LogRecordTest, EveryFlippedBitAndEveryTruncationIsDataLoss) {
  const std::string value = ValueOf({.log = LogId{7}, .offset = 9, .payload = "minibatch"});
  for (std::size_t bit = 0; bit < 8 * value.size(); ++bit) {
    std::string damaged = value;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_EQ(DecodeRecord(LogId{7}, 9, damaged).status().code(), absl::StatusCode::kDataLoss)
        << bit;
  }
  for (std::size_t size = 0; size < value.size(); ++size) {
    EXPECT_EQ(DecodeRecord(LogId{7}, 9, value.substr(0, size)).status().code(),
              absl::StatusCode::kDataLoss);
  }
  EXPECT_FALSE(DecodeRecord(LogId{7}, 8, value).ok()) << "the right bytes under the wrong offset";
  EXPECT_FALSE(DecodeRecord(LogId{6}, 9, value).ok()) << "the right bytes in the wrong log";
}

TEST(LogRecordTest, AnUnknownVersionIsNamed) {
  std::string value = ValueOf({.log = LogId{7}, .offset = 9, .payload = "minibatch"});
  value[0] = 2;
  const absl::Status version =
      DecodeRecord(LogId{7}, 9, Reseal(LogKey(LogId{7}, 9), value)).status();
  EXPECT_EQ(version.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(version.message()), HasSubstr("unknown version 2"));
  EXPECT_THAT(std::string(version.message()), HasSubstr("log 7, record at offset 9"));
}

// Whatever it is: what a type means is for others to say.
TEST(LogRecordTest, EveryTypeIsKept) {
  for (int type = 0; type < 256; ++type) {
    const auto byte = static_cast<std::uint8_t>(type);
    const std::string value = ValueOf({.log = LogId{7}, .offset = 9, .type = byte});
    EXPECT_EQ(DecodeRecord(LogId{7}, 9, value)->type, byte);
  }
}

}  // namespace
}  // namespace prequel::log_record_test
