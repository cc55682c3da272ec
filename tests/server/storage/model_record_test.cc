#include "server/storage/model_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/archive/crc32c.h"

namespace prequel::model_record_test {
namespace {

using ::testing::HasSubstr;

constexpr ModelId kId{5};
constexpr LogId kLog{6};

// Replaces the checksum by the right one for `value` under `key`.
std::string Reseal(std::string_view key, std::string value) {
  value.resize(value.size() - 4);
  const std::uint32_t crc = Crc32c(value, Crc32c(key));
  return value.append(reinterpret_cast<const char*>(&crc), 4);
}

// The format of server/formats.md, byte by byte: changing it is a new version.
TEST(ModelRecordTest, HasTheWrittenFormat) {
  const StoredModel model{
      .name = "ab", .id = kId, .log = kLog, .create_time_us = 0x0102, .config = "cfg"};
  EXPECT_EQ(ModelKey(model), std::string("ab\0\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0\6", 19));
  EXPECT_EQ(ModelKeyPrefix("ab"), std::string("ab\0", 3));
  const std::string value = EncodeModel(model);
  EXPECT_EQ(value.substr(0, 13), std::string("\1\0\2\1\0\0\0\0\0\0cfg", 13));
  EXPECT_EQ(value.size(), 13 + 4u);
}

TEST(ModelRecordTest, ADamagedOneStillHasItsNameAndIds) {
  const StoredModel model{
      .name = "prices", .id = kId, .log = kLog, .create_time_us = -3, .config = "bytes"};
  std::string value = EncodeModel(model);
  absl::StatusOr<StoredModel> decoded = DecodeModel(ModelKey(model), value);
  ASSERT_TRUE(decoded.ok() && decoded->problem.ok());
  EXPECT_EQ(decoded->create_time_us, -3);
  EXPECT_EQ(decoded->config, "bytes");

  value[10] ^= 1;
  decoded = DecodeModel(ModelKey(model), value);
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->problem.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(decoded->name, "prices");
  EXPECT_EQ(decoded->id, kId);
  EXPECT_EQ(decoded->log, kLog);
  EXPECT_FALSE(DecodeModel("no zero byte", value).ok());
}

TEST(ModelRecordTest, AnUnknownVersionOrBeginningIsNamed) {
  const StoredModel model{
      .name = "m", .id = kId, .log = kLog, .from_snapshot = true, .config = "bytes"};
  const std::string key = ModelKey(model), value = EncodeModel(model);
  EXPECT_TRUE(DecodeModel(key, value)->from_snapshot);
  std::string odd = value;
  odd[1] = 2;
  EXPECT_EQ(DecodeModel(key, Reseal(key, odd))->problem.code(), absl::StatusCode::kDataLoss);
  for (const char version : {'\0', '\2'}) {
    odd = value;
    odd[0] = version;
    const absl::Status problem = DecodeModel(key, Reseal(key, odd))->problem;
    EXPECT_EQ(problem.code(), absl::StatusCode::kDataLoss);
    EXPECT_THAT(std::string(problem.message()), HasSubstr("unknown version"));
  }
}

TEST(ModelRecordTest, TheMetaValuesRoundTripAndDetectDamage) {
  EXPECT_EQ(DecodeFormat(EncodeFormat()).value(), kStoreFormat);
  std::string next = EncodeNextId(77);
  EXPECT_EQ(DecodeNextId(next).value(), 77u);
  next[0] ^= 1;
  EXPECT_EQ(DecodeNextId(next).status().code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace prequel::model_record_test
