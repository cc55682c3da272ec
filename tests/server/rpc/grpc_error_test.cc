#include "server/rpc/grpc_error.h"

#include <gtest/gtest.h>

#include <string>

#include "google/rpc/error_details.pb.h"
#include "server/wire/error_message.h"

namespace prequel::grpc_error_test {
namespace {

TEST(GrpcErrorTest, DetailsRepeatCodeAndMessage) {
  const grpc::Status status = GrpcStatus(FieldError("name", "is wrong"), "models/m");
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  google::rpc::Status details;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  EXPECT_EQ(details.message(), status.error_message());
  EXPECT_EQ(details.details_size(), 2);
  EXPECT_TRUE(GrpcStatus(absl::OkStatus(), "").ok());
}

TEST(GrpcErrorTest, FitsIntoHeadersWhateverTheMessage) {
  const std::string endless(100'000, 'x');
  const grpc::Status status = GrpcStatus(FieldError(endless, endless), endless);
  EXPECT_LT(status.error_message().size() + status.error_details().size(), 6000U);
}

// Cut in the midst of a character the details could not be read.
TEST(GrpcErrorTest, IsCutBetweenCharacters) {
  for (const char* shift : {"", "x"}) {
    std::string endless = shift;
    for (int i = 0; i < 2000; ++i) endless += "ä";
    const grpc::Status status = GrpcStatus(absl::InternalError(endless), endless);
    google::rpc::Status details;
    ASSERT_TRUE(details.ParseFromString(status.error_details()));
    google::rpc::ErrorInfo info;
    ASSERT_TRUE(details.details(0).UnpackTo(&info));
    EXPECT_GT(info.metadata().at("model").size(), 100U);
  }
}

}  // namespace
}  // namespace prequel::grpc_error_test
