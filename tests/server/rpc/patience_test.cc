#include "server/rpc/patience.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "prequel/v1/model_service.grpc.pb.h"

namespace prequel::patience_test {
namespace {

// Waits for its client from the beginning, until it is ended.
class Waiting final : public grpc::ServerUnaryReactor {
 public:
  Waiting(Patience& patience, const grpc::CallbackServerContext& context, std::int64_t bytes) {
    patience.Begin(wait_, context, bytes);
  }
  void OnCancel() override { Finish(grpc::Status::CANCELLED); }
  void OnDone() override { delete this; }

 private:
  Patience::Wait wait_;
};

// Each call may take a second for each 256 KiB that its name says.
class WaitingService final : public v1::ModelService::CallbackService {
 public:
  grpc::ServerUnaryReactor* GetModel(grpc::CallbackServerContext* context,
                                     const v1::GetModelRequest* request,
                                     v1::Model* /*response*/) override {
    return new Waiting(patience_, *context, std::stoll(request->name()));
  }
  std::int64_t ended() const { return patience_.ended(); }

 private:
  Patience patience_{std::chrono::milliseconds(1)};
};

class PatienceTest : public ::testing::Test {
 protected:
  PatienceTest() {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    stub_ = v1::ModelService::NewStub(grpc::CreateChannel("127.0.0.1:" + std::to_string(port),
                                                          grpc::InsecureChannelCredentials()));
  }
  ~PatienceTest() override { server_->Shutdown(std::chrono::system_clock::now()); }

  grpc::Status Call(std::int64_t bytes, std::chrono::milliseconds deadline) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + deadline);
    v1::GetModelRequest request;
    request.set_name(std::to_string(bytes));
    v1::Model ignored;
    return stub_->GetModel(&context, request, &ignored);
  }

  WaitingService service_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<v1::ModelService::Stub> stub_;
};

TEST_F(PatienceTest, TellsWhoIsTooSlow) {
  const grpc::Status status = Call(0, std::chrono::seconds(30));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_NE(status.error_message().find("--patience-seconds"), std::string::npos)
      << status.error_message();
  EXPECT_EQ(service_.ended(), 1);
}

TEST_F(PatienceTest, GivesTimeForWhatIsLong) {
  EXPECT_FALSE(Call(std::int64_t{1} << 30, std::chrono::seconds(1)).ok());
  EXPECT_EQ(service_.ended(), 0) << "the client's own deadline has ended it";
}

}  // namespace
}  // namespace prequel::patience_test
