#include "server/wire/error_message.h"

#include <gtest/gtest.h>

#include "core/config/field_error.h"
#include "google/rpc/error_details.pb.h"

namespace prequel::wire::error_test {
namespace {

TEST(ErrorTest, CarriesReasonDomainAndMetadata) {
  const google::rpc::Status proto =
      ErrorToProto(absl::NotFoundError("no such model"), {{"model", "models/m"}});
  EXPECT_EQ(proto.code(), 5);
  EXPECT_EQ(proto.message(), "no such model");
  ASSERT_EQ(proto.details_size(), 1);
  google::rpc::ErrorInfo info;
  ASSERT_TRUE(proto.details(0).UnpackTo(&info));
  EXPECT_EQ(info.reason(), "MODEL_NOT_FOUND");
  EXPECT_EQ(info.domain(), "prequel");
  EXPECT_EQ(info.metadata().at("model"), "models/m");
}

TEST(ErrorTest, AFieldBecomesAViolation) {
  const google::rpc::Status proto = ErrorToProto(FieldError("batch.inputs[3,1]", "is NaN"), {});
  ASSERT_EQ(proto.details_size(), 2);
  google::rpc::BadRequest bad_request;
  ASSERT_TRUE(proto.details(1).UnpackTo(&bad_request));
  ASSERT_EQ(bad_request.field_violations_size(), 1);
  EXPECT_EQ(bad_request.field_violations(0).field(), "batch.inputs[3,1]");
  EXPECT_EQ(bad_request.field_violations(0).description(), "batch.inputs[3,1]: is NaN");
}

TEST(ErrorTest, EveryCodeHasAReason) {
  for (int code = 1; code <= 16; ++code) {
    const absl::Status status(static_cast<absl::StatusCode>(code), "");
    for (char c : ReasonOf(status)) EXPECT_TRUE((c >= 'A' && c <= 'Z') || c == '_') << code;
    EXPECT_FALSE(ReasonOf(status).empty());
  }
}

}  // namespace
}  // namespace prequel::wire::error_test
