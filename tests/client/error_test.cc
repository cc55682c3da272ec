#include "client/call_error.h"

#include <grpcpp/support/status.h>
#include <gtest/gtest.h>

#include <string>

#include "client/rpc_status.h"
#include "google/rpc/error_details.pb.h"

namespace prequel::client::error_test {
namespace {

google::rpc::Status Detailed() {
  google::rpc::Status proto;
  proto.set_code(3);
  proto.set_message("two fields are wrong");
  google::rpc::ErrorInfo info;
  info.set_reason("INVALID_CONFIG");
  (*info.mutable_metadata())["model"] = "models/m";
  proto.add_details()->PackFrom(info);
  google::rpc::BadRequest bad;
  for (const char* field : {"config.rule", "config.seed"}) {
    auto& violation = *bad.add_field_violations();
    violation.set_field(field);
    violation.set_description("is odd");
  }
  proto.add_details()->PackFrom(bad);
  return proto;
}

TEST(ErrorTest, DetailsSurviveTheTransport) {
  const grpc::Status sent(grpc::StatusCode::INVALID_ARGUMENT, "two fields are wrong",
                          Detailed().SerializeAsString());
  const absl::Status status = StatusFromGrpc(sent);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "two fields are wrong");
  EXPECT_TRUE(IsFromCall(status));
  const ErrorDetails details = DetailsOf(status);
  EXPECT_EQ(details.reason, "INVALID_CONFIG");
  EXPECT_EQ(details.metadata.at("model"), "models/m");
  ASSERT_EQ(details.violations.size(), 2);
  EXPECT_EQ(details.violations[1].field, "config.seed");
}

TEST(ErrorTest, WithoutDetails) {
  const absl::Status status = StatusFromGrpc({grpc::StatusCode::UNAVAILABLE, "gone"});
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(IsFromCall(status));
  EXPECT_TRUE(DetailsOf(status).reason.empty());
}

TEST(ErrorTest, GarbageInTheDetailsIsIgnored) {
  const absl::Status status =
      StatusFromGrpc({grpc::StatusCode::INTERNAL, "broken", std::string("\xff\xff\xff\x01")});
  EXPECT_EQ(status.message(), "broken");
  EXPECT_TRUE(DetailsOf(status).violations.empty());
}

TEST(ErrorTest, OkStaysOkAndStrangeCodesAreUnknown) {
  EXPECT_TRUE(StatusFromGrpc(grpc::Status::OK).ok());
  google::rpc::Status strange;
  strange.set_code(99);
  EXPECT_EQ(StatusFromProto(strange).code(), absl::StatusCode::kUnknown);
}

TEST(ErrorTest, OwnErrorsAreNotFromACall) {
  EXPECT_FALSE(IsFromCall(absl::InvalidArgumentError("bad file")));
}

}  // namespace
}  // namespace prequel::client::error_test
