#include "server/rpc/call.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "prequel/v1/model_service.grpc.pb.h"
#include "server/auth/policy_file.h"

namespace prequel::call_test {
namespace {

// Answers GetModel when the test says so.
class HeldService final : public v1::ModelService::CallbackService {
 public:
  grpc::ServerUnaryReactor* GetModel(grpc::CallbackServerContext* context,
                                     const v1::GetModelRequest* request,
                                     v1::Model* response) override {
    const UnaryCall call(context, "GetModel", request->name(), request, response, parts_,
                         UnaryCall::Watch::kClient);
    calls_.set_value(call);
    return call.reactor();
  }

  UnaryCall Await() { return calls_.get_future().get(); }

 private:
  const CallParts parts_ = {{}, Gate()};
  std::promise<UnaryCall> calls_;
};

class CallTest : public ::testing::Test {
 protected:
  CallTest() {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    stub_ = v1::ModelService::NewStub(grpc::CreateChannel("127.0.0.1:" + std::to_string(port),
                                                          grpc::InsecureChannelCredentials()));
    client_ = std::thread([this] {
      v1::Model ignored;
      v1::GetModelRequest request;
      request.set_name(std::string(1 << 20, 'x'));
      status_ = stub_->GetModel(&context_, request, &ignored);
    });
  }
  ~CallTest() override {
    if (client_.joinable()) client_.join();
    server_->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(5));
  }

  grpc::Status Answer() {
    client_.join();
    return status_;
  }

  HeldService service_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<v1::ModelService::Stub> stub_;
  grpc::ClientContext context_;
  grpc::Status status_;
  std::thread client_;
};

TEST_F(CallTest, SaysOnceThatTheClientHasGone) {
  const UnaryCall call = service_.Await();
  EXPECT_TRUE(call.CheckWanted().ok());
  EXPECT_TRUE(call.wanted()().ok());
  std::promise<void> gone;
  call.OnceCancelled([&gone] { gone.set_value(); });
  context_.TryCancel();
  gone.get_future().wait();
  EXPECT_TRUE(absl::IsCancelled(call.CheckWanted()));
  EXPECT_TRUE(absl::IsCancelled(call.wanted()()));
  call.Finish(call.CheckWanted());
  EXPECT_EQ(Answer().error_code(), grpc::StatusCode::CANCELLED);
}

// Both become keys of queues.
TEST_F(CallTest, IsOfAHostAndAboutNoMoreThanANameIsLong) {
  const UnaryCall call = service_.Await();
  EXPECT_EQ(call.who().caller, "ipv4:127.0.0.1");
  EXPECT_EQ(call.who().about, std::string(128, 'x'));
  call.Finish(absl::CancelledError());
}

TEST_F(CallTest, SaysAtOnceThatTheClientWentBefore) {
  const UnaryCall call = service_.Await();
  std::promise<void> gone;
  call.OnceCancelled([&gone] { gone.set_value(); });
  context_.TryCancel();
  gone.get_future().wait();
  bool known = false;
  call.OnceCancelled([&known] { known = true; });
  EXPECT_TRUE(known);
  call.Finish(absl::CancelledError());
}

TEST_F(CallTest, LetsGoOfWhatWaitedWhenItIsFinished) {
  const UnaryCall call = service_.Await();
  auto held = std::make_shared<int>();
  call.OnceCancelled([held] { ADD_FAILURE() << "the client is there"; });
  call.Finish(absl::NotFoundError("nobody"));
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(Answer().error_code(), grpc::StatusCode::NOT_FOUND);
}

// Remembers who called.
class LastCaller final : public CallObserver {
 public:
  void OnCall(const CallRecord& call) override { name = call.principal; }
  std::string name;
};

// By a certificate, with a policy that has one principal.
class CallOfAPrincipal : public ::testing::Test {
 protected:
  CallOfAPrincipal() { close(mkstemp(path_.data())); }
  ~CallOfAPrincipal() override { std::filesystem::remove(path_); }

  void Write(const std::string& name, int share) const {
    std::ofstream(path_) << "[" << name << "]\ncertificate = cn:a\nrole = read\nmodels = *\n"
                         << "share = " << share << "\n";
  }
  std::unique_ptr<PolicyFile> Open(const std::string& name, int share) const {
    Write(name, share);
    return PolicyFile::Open(path_).value();
  }
  Call Begin(const CallParts& parts) const {
    return Call({.credentials = {.authorization = "", .names = {"cn:a"}}}, "Predict", parts);
  }

 private:
  std::string path_ = (std::filesystem::temp_directory_path() / "call-XXXXXX").string();
};

// Whose turn it is goes by that.
TEST_F(CallOfAPrincipal, HasTheShareThatThePolicyOfNowGivesIt) {
  const std::unique_ptr<PolicyFile> policy = Open("a", 300);
  const CallParts parts = {{}, Gate(policy.get())};
  const Call call = Begin(parts);
  ASSERT_TRUE(call.admitted().ok()) << call.admitted();
  EXPECT_EQ(call.who().caller, "a");
  EXPECT_EQ(call.who().share, 300);
  Write("a", 50);
  EXPECT_TRUE(policy->Reload().value());
  EXPECT_TRUE(call.Renew().ok());
  EXPECT_EQ(call.who().share, 50);
  const Call unknown({.credentials = {}}, "Predict", parts);
  EXPECT_EQ(unknown.who().share, kEvenShare);
  call.End(absl::OkStatus());
  unknown.End(unknown.admitted());
}

TEST_F(CallOfAPrincipal, LetsGoOfThePolicyThatItBeganWith) {
  const std::unique_ptr<PolicyFile> policy = Open("a", 300);
  LastCaller last;
  const CallParts parts = {{&last}, Gate(policy.get())};
  const Call call = Begin(parts);
  const std::weak_ptr<const Policy> first = policy->current();
  Write("b", 300);
  EXPECT_TRUE(policy->Reload().value());
  EXPECT_TRUE(call.Renew().ok());
  EXPECT_TRUE(first.expired());
  EXPECT_EQ(call.who().caller, "b");
  call.End(absl::OkStatus());
  EXPECT_EQ(last.name, "a") << "as the policy named it when the call began";
}

}  // namespace
}  // namespace prequel::call_test
