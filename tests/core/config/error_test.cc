#include "core/config/error.h"

#include "gtest/gtest.h"

namespace prequel {
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

}  // namespace
}  // namespace prequel
