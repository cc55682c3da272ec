#include "tests/accept/greedy/nonsense.h"

#include <grpcpp/generic/generic_stub.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <future>
#include <string>
#include <utility>

#include "tests/accept/guard/calls.h"

namespace prequel::accept {
namespace {

constexpr std::array<const char*, 2> kMethods = {"/prequel.v1.LearningService/Predict",
                                                 "/prequel.v1.LearningService/Learn"};
constexpr int kRows = 4096, kColumns = 64;  // a megabyte
constexpr int kLongOnes = 16;               // one in so many
constexpr std::chrono::seconds kPatience{20};

// Wrong only at its end: all of it is read before.
std::string LongNonsense() {
  v1::PredictRequest request;
  request.set_name("models/none");
  *request.mutable_batch() = Zeros(kRows, kColumns, false);
  return request.SerializeAsString() + '\xff';
}

}  // namespace

bool SendNonsense(const std::shared_ptr<grpc::Channel>& channel, int index) {
  static const std::string kShort(3, '\xff'), kLong = LongNonsense();
  const grpc::Slice bytes(index % kLongOnes == 0 ? kLong : kShort);
  const grpc::ByteBuffer request(&bytes, 1);
  grpc::ByteBuffer response;
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kPatience);
  std::promise<grpc::Status> answered;
  grpc::GenericStub stub(channel);
  stub.UnaryCall(&context, kMethods[static_cast<std::size_t>(index / kLongOnes) % kMethods.size()],
                 {}, &request, &response,
                 [&answered](grpc::Status status) { answered.set_value(std::move(status)); });
  const grpc::Status status = answered.get_future().get();
  return status.error_code() == grpc::StatusCode::INVALID_ARGUMENT &&
         status.error_message().find("are no message of") != std::string::npos;
}

}  // namespace prequel::accept
