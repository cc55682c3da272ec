#include "core/config/field_error.h"

#include "gtest/gtest.h"

namespace prequel::error_test {
namespace {

TEST(FieldError, NamesTheFieldInMessageAndPayload) {
  const absl::Status status = FieldError("batch.inputs[3,1]", "must be finite");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "batch.inputs[3,1]: must be finite");
  EXPECT_EQ(FieldOf(status), "batch.inputs[3,1]");
}

TEST(FieldError, TakesAnotherCode) {
  const absl::Status status =
      FieldError(absl::StatusCode::kResourceExhausted, "batch", "is too large");
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(FieldOf(status), "batch");
}

TEST(FieldOf, IsAbsentFromOtherStatuses) {
  EXPECT_EQ(FieldOf(absl::OkStatus()), std::nullopt);
  EXPECT_EQ(FieldOf(absl::InvalidArgumentError("field: x")), std::nullopt);
}

TEST(Quoted, EscapesAndCuts) {
  EXPECT_EQ(Quoted("a\"b\n"), "\"a\\\"b\\n\"");
  EXPECT_EQ(Quoted("naïve"), "\"naïve\"");
  EXPECT_EQ(Quoted(std::string(39, 'x') + "ïe"), "\"" + std::string(39, 'x') + "…\"");
  EXPECT_EQ(Quoted(std::string(50, 'x')), "\"" + std::string(40, 'x') + "…\"");
}

// Whatever is in it: short, and on one line.
TEST(Quoted, BoundsGarbage) {
  std::string garbage;
  for (int i = 0; i < 10'000; ++i) garbage.push_back(static_cast<char>(i * 7 % 256));
  const std::string quoted = Quoted(garbage);
  EXPECT_LE(quoted.size(), 40 * 4 + 5);
  for (const char c : quoted) EXPECT_GE(static_cast<unsigned char>(c), 0x20);
}

}  // namespace
}  // namespace prequel::error_test
