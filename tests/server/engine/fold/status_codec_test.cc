#include "server/engine/fold/status_codec.h"

#include <gtest/gtest.h>

#include <string>

#include "core/config/field_error.h"

namespace prequel::status_codec_test {
namespace {

TEST(StatusCodecTest, KeepsCodeMessageAndField) {
  for (const absl::Status& status :
       {FieldError("batch.inputs[3,1]", "is NaN"), absl::InternalError("diverged"),
        absl::InvalidArgumentError(""), FieldError(absl::StatusCode::kOutOfRange, "f", "")}) {
    absl::Status decoded;
    ASSERT_TRUE(DecodeStatus(EncodeStatus(status), &decoded).ok());
    EXPECT_EQ(decoded, status);
    EXPECT_EQ(FieldOf(decoded), FieldOf(status));
  }
  absl::Status ignored;
  for (const std::string& bytes :
       {std::string(), std::string("\x3"), std::string("\x3\x9\0x", 4), std::string("\x63\0\0", 3),
        std::string("\0\0\0ok", 5), std::string("\xFF\0\0", 3), std::string("\x3\1\0fg: x", 8)}) {
    EXPECT_EQ(DecodeStatus(bytes, &ignored).code(), absl::StatusCode::kDataLoss);
  }
}

}  // namespace
}  // namespace prequel::status_codec_test
