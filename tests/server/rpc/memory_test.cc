// What calls take of the memory for what is in flight, and when.
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "google/rpc/error_details.pb.h"
#include "server/rpc/learning/learning_service.h"
#include "server/rpc/models/model_service.h"
#include "server/wire_codec.h"
#include "tests/server/server/server_fixture.h"
#include "tests/server/storage/memory_store.h"

namespace prequel {
namespace {

using std::chrono::seconds;
using std::chrono::system_clock;

constexpr char kHost[] = "ipv4:127.0.0.1";

class CallMemoryTest : public ::testing::Test {
 protected:
  void Start(std::int64_t limit) {
    memory_.emplace(limit);
    const CallParts parts{{}, Gate(), &*memory_, nullptr, &arrivals_};
    model_service_.emplace(*engine_, pools_, parts);
    learning_service_.emplace(*engine_, pools_, parts, LearningOptions{});
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&*model_service_);
    builder.RegisterService(&*learning_service_);
    server_ = builder.BuildAndStart();
    const auto channel = grpc::CreateChannel("127.0.0.1:" + std::to_string(port),
                                             grpc::InsecureChannelCredentials());
    models_ = v1::ModelService::NewStub(channel);
    learning_ = v1::LearningService::NewStub(channel);
    context_.set_deadline(system_clock::now() + seconds(30));
  }
  ~CallMemoryTest() override {
    if (server_ != nullptr) server_->Shutdown(system_clock::now() + seconds(5));
    engine_->Shutdown(system_clock::now());
  }

  std::unique_ptr<MemoryStore> store_ = MemoryStore::Open(std::make_shared<MemoryDisk>()).value();
  WireCodec codec_;
  SystemClock clock_;
  std::unique_ptr<Engine> engine_ =
      Engine::Create({}, {*store_, *store_, *store_, codec_, clock_, {}}).value();
  CallPool queries_{1, 8, ""};
  CallPool long_queries_{1, 8, ""};
  CallPool history_{1, 8, ""};
  CallPool changes_{1, 8, ""};
  const CallPools pools_{queries_, long_queries_, history_, changes_};
  std::optional<InFlight> memory_;
  Arrivals arrivals_;
  std::optional<ModelServiceImpl> model_service_;
  std::optional<LearningServiceImpl> learning_service_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<v1::ModelService::Stub> models_;
  std::unique_ptr<v1::LearningService::Stub> learning_;
  grpc::ClientContext context_;
};

// Until there is room for it, it is one of those that are still arriving.
TEST_F(CallMemoryTest, AMinibatchThatWaitsIsCountedAsArriving) {
  Start(1 << 20);
  InFlight::Share others = memory_->Join(kHost, "another");
  others.Count(memory_->limit());
  const auto stream = learning_->LearnStream(&context_);
  v1::LearnStreamRequest request;
  request.set_name("models/nobody");
  *request.mutable_batch() = LinearBatch(1);
  ASSERT_TRUE(stream->Write(request));
  const auto end = system_clock::now() + seconds(20);
  while (memory_->refused() == 0 && system_clock::now() < end) std::this_thread::yield();
  EXPECT_GT(memory_->refused(), 0);
  EXPECT_TRUE(arrivals_.Take().empty());
  others = {};
  v1::LearnStreamResponse response;
  ASSERT_TRUE(stream->Read(&response));
  EXPECT_EQ(PartsOf(response.error()).code, grpc::StatusCode::NOT_FOUND);
  const Arrivals::ByPeer arrived = arrivals_.Take();
  ASSERT_EQ(arrived.size(), 1U);
  EXPECT_EQ(arrived.begin()->second.messages, 1);
  EXPECT_EQ(arrived.begin()->second.bytes, static_cast<std::int64_t>(request.ByteSizeLong()));
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(CallMemoryTest, AMinibatchThatNeverFitsIsAnsweredAndTheStreamGoesOn) {
  Start(4096);
  const auto stream = learning_->LearnStream(&context_);
  v1::LearnStreamRequest request;
  request.set_name("models/nobody");
  *request.mutable_batch() = LinearBatch(1, 1000);
  ASSERT_TRUE(stream->Write(request));
  v1::LearnStreamResponse response;
  ASSERT_TRUE(stream->Read(&response));
  EXPECT_EQ(PartsOf(response.error()).reason, "MEMORY_EXHAUSTED");
  for (const google::protobuf::Any& detail : response.error().details()) {
    EXPECT_FALSE(detail.Is<google::rpc::RetryInfo>()) << "it would be refused again";
  }
  *request.mutable_batch() = LinearBatch(1, 1);
  ASSERT_TRUE(stream->Write(request));
  ASSERT_TRUE(stream->Read(&response));
  EXPECT_EQ(PartsOf(response.error()).code, grpc::StatusCode::NOT_FOUND);
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(CallMemoryTest, AFileIsCountedOnce) {
  constexpr std::int64_t kPiece = 300'000;
  Start(8 * kPiece);  // of which one connection may have 3
  v1::Model model;
  const auto writer = models_->ImportModel(&context_, &model);
  v1::ImportModelRequest request;
  request.set_model_id("m");
  request.set_data(std::string(kPiece / 2 * 3, 'x'));
  writer->Write(request);
  writer->WritesDone();
  EXPECT_EQ(writer->Finish().error_code(), grpc::StatusCode::DATA_LOSS) << "no file, but it fits";
}

TEST_F(CallMemoryTest, WhatIsToBePredictedAndLearnedIsLoggedOnlyIfItsAnswerFits) {
  v1::PredictThenLearnRequest request;
  request.set_name("models/m");
  *request.mutable_batch() = LinearBatch(1, 2000);
  Start(8 * static_cast<std::int64_t>(request.ByteSizeLong()) + 4096);
  v1::CreateModelRequest create;
  create.set_model_id("m");
  *create.mutable_config() = LinearConfig();
  v1::Model model;
  ASSERT_TRUE(models_->CreateModel(&context_, create, &model).ok());
  grpc::ClientContext context;
  v1::PredictThenLearnResponse response;
  EXPECT_EQ(PartsOf(learning_->PredictThenLearn(&context, request, &response)).reason,
            "MEMORY_EXHAUSTED");
  EXPECT_EQ(engine_->GetModel("m")->published.revision, 0);
}

}  // namespace
}  // namespace prequel
