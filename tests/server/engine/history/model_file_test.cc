// The file that export writes, cut and damaged in every way.
#include "server/engine/history/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace prequel::model_file_test {
namespace {

using Code = absl::StatusCode;

ModelFile Example(std::size_t body) {
  return {.revision = 7,
          .create_time_us = 5,
          .build = "build",
          .config = "config",
          .body = std::string(body, 'x')};
}

std::string Bytes(ModelFile file) {
  ModelFileWriter writer(std::move(file));
  std::string bytes;
  for (std::string piece = writer.Next(); !piece.empty(); piece = writer.Next()) bytes += piece;
  return bytes;
}

absl::StatusOr<ModelFile> Read(std::string_view bytes, std::size_t step,
                               std::uint64_t most = 1 << 30) {
  ModelFileReader reader(most);
  for (; !bytes.empty(); bytes.remove_prefix(std::min(step, bytes.size()))) {
    if (absl::Status status = reader.Add(bytes.substr(0, step)); !status.ok()) return status;
  }
  return std::move(reader).Finish();
}

TEST(ModelFileTest, IsReadHoweverItIsCut) {
  for (const std::size_t body : {0, 1, 1 << 20, (1 << 20) + 1, 3 << 20}) {
    const std::string bytes = Bytes(Example(body));
    for (const std::size_t step : {std::size_t{7}, std::size_t{1} << 16, bytes.size()}) {
      if (body > 1 && step == 7) continue;
      const absl::StatusOr<ModelFile> file = Read(bytes, step);
      ASSERT_TRUE(file.ok()) << file.status();
      EXPECT_EQ(file->revision, 7);
      EXPECT_EQ(file->create_time_us, 5);
      EXPECT_EQ(file->build, "build");
      EXPECT_EQ(file->config, "config");
      EXPECT_EQ(file->body, std::string(body, 'x'));
    }
  }
}

// A configuration with imported weights.
TEST(ModelFileTest, AHeadMayBeLongerThanAFrame) {
  ModelFile large = Example(5);
  large.config.assign((3 << 20) + 7, 'c');
  const std::string config = large.config;
  const std::string bytes = Bytes(std::move(large));
  const absl::StatusOr<ModelFile> file = Read(bytes, 1 << 16);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->revision, 7);
  EXPECT_EQ(file->config, config);
  EXPECT_EQ(file->body, "xxxxx");
  EXPECT_EQ(Read(bytes, 1 << 16, 3 << 20).status().code(), Code::kResourceExhausted);
}

TEST(ModelFileTest, EveryFlippedBitAndEveryTruncationIsRefused) {
  const std::string bytes = Bytes(Example(20));
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(Read(damaged, bytes.size()).ok()) << bit;
  }
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(Read(bytes.substr(0, size), bytes.size()).status().code(), Code::kDataLoss) << size;
  }
  EXPECT_FALSE(Read(bytes + "x", bytes.size() + 1).ok());
  EXPECT_FALSE(Read(bytes + bytes.substr(12), 1000).ok());
}

TEST(ModelFileTest, AnotherVersionIsNamedAndTooMuchIsRefused) {
  std::string bytes = Bytes(Example(20));
  EXPECT_EQ(Read(bytes, 100, 19).status().code(), Code::kResourceExhausted);
  EXPECT_TRUE(Read(bytes, 100, 20).ok());
  bytes[8] = 2;
  const absl::Status status = Read(bytes, 100).status();
  EXPECT_EQ(status.code(), Code::kFailedPrecondition);
  EXPECT_EQ(status.message(), "the model file has version 2, and this server reads 1");
}

// The format of server/formats.md, byte by byte: changing it is a new version.
TEST(ModelFileTest, HasTheWrittenFormat) {
  const std::string bytes = Bytes(Example(3));
  const std::string head = std::string("\7\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0", 16) +
                           std::string("\5\0\0\0\0\0\0\0build\6\0\0\0\0\0\0\0config", 27);
  EXPECT_EQ(bytes.substr(0, 12), std::string("PREQUELX\1\0\0\0", 12));
  EXPECT_EQ(bytes.substr(12, 5), std::string("h\x2B\0\0\0", 5));
  EXPECT_EQ(bytes.substr(17, 43), head);
  EXPECT_EQ(bytes.substr(64, 8), std::string("b\3\0\0\0xxx", 8));
  EXPECT_EQ(bytes.substr(76, 13), std::string("e\10\0\0\0\3\0\0\0\0\0\0\0", 13));
  EXPECT_EQ(bytes.size(), 93u);
}

}  // namespace
}  // namespace prequel::model_file_test
