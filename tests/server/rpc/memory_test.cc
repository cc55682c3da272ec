// What calls take of the memory for what is in flight, and when.
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "google/rpc/error_details.pb.h"
#include "server/rpc/learning/learning_service.h"
#include "server/rpc/models/model_service.h"
#include "server/wire_codec.h"
#include "tests/server/await.h"
#include "tests/server/server/server_fixture.h"
#include "tests/server/storage/memory_store.h"

namespace prequel::memory_test {
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
    // What its client does not read stays with the server.
    grpc::ChannelArguments narrow;
    narrow.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
    narrow.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 1 << 16);
    channel_ = grpc::CreateCustomChannel("127.0.0.1:" + std::to_string(port),
                                         grpc::InsecureChannelCredentials(), narrow);
    models_ = v1::ModelService::NewStub(channel_);
    learning_ = v1::LearningService::NewStub(channel_);
    context_.set_deadline(system_clock::now() + seconds(30));
  }
  ~CallMemoryTest() override {
    if (server_ != nullptr) server_->Shutdown(system_clock::now() + seconds(5));
    engine_->Shutdown(system_clock::now());
  }

  void CreateModel(const v1::ModelConfig& config) {
    v1::CreateModelRequest request;
    request.set_model_id("m");
    *request.mutable_config() = config;
    grpc::ClientContext context;
    v1::Model model;
    const grpc::Status status = models_->CreateModel(&context, request, &model);
    ASSERT_TRUE(status.ok()) << status.error_message();
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
  std::shared_ptr<grpc::Channel> channel_;
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
  EXPECT_TRUE(Await([this] { return memory_->refused() > 0; }));
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
  EXPECT_EQ(writer->Finish().error_code(), grpc::StatusCode::INVALID_ARGUMENT)
      << "no file, but it fits";
}

TEST_F(CallMemoryTest, WhatIsToBePredictedAndLearnedIsLoggedOnlyIfItsAnswerFits) {
  v1::PredictThenLearnRequest request;
  request.set_name("models/m");
  *request.mutable_batch() = LinearBatch(1, 2000);
  Start(8 * static_cast<std::int64_t>(request.ByteSizeLong()) + 4096);
  CreateModel(LinearConfig());
  v1::PredictThenLearnResponse response;
  EXPECT_EQ(PartsOf(learning_->PredictThenLearn(&context_, request, &response)).reason,
            "MEMORY_EXHAUSTED");
  EXPECT_EQ(engine_->GetModel("m")->published.revision, 0);
}

// As numbers and as a message, while the one becomes the other.
TEST_F(CallMemoryTest, AnAnswerIsCountedTwice) {
  Start(1 << 20);
  CreateModel(LinearConfig());
  v1::PredictRequest request;
  request.set_name("models/m");
  *request.mutable_batch() = LinearQuery(100);
  v1::PredictResponse response;
  ASSERT_TRUE(learning_->Predict(&context_, request, &response).ok());
  const auto asked = static_cast<std::int64_t>(request.ByteSizeLong());
  const auto answered = static_cast<std::int64_t>(response.ByteSizeLong());
  ASSERT_TRUE(Await([this] { return memory_->used() == 0; }));
  // Room for the request, which is counted three times, and for an answer and a half: one
  // connection may have 3/8 of what others leave.
  InFlight::Share others = memory_->Join("others", "another");
  others.Count(memory_->limit() - 8 * (3 * asked + answered * 3 / 2) / 3);
  grpc::ClientContext context;
  EXPECT_EQ(PartsOf(learning_->Predict(&context, request, &response)).reason, "MEMORY_EXHAUSTED");
  others.GiveBack(8 * answered / 3);
  ASSERT_TRUE(Await([&] { return memory_->used() == others.bytes(); }));
  grpc::ClientContext again;
  EXPECT_TRUE(learning_->Predict(&again, request, &response).ok());
}

std::int64_t BytesOf(grpc::ClientReader<v1::ModelFilePiece>& file) {
  std::int64_t bytes = 0;
  v1::ModelFilePiece piece;
  while (file.Read(&piece)) bytes += static_cast<std::int64_t>(piece.data().size());
  EXPECT_TRUE(file.Finish().ok());
  return bytes;
}

TEST_F(CallMemoryTest, APieceOfAFileIsCountedTwiceBesideTheFile) {
  constexpr std::int64_t kPiece = 1 << 20;
  Start(64 * kPiece);
  CreateModel(
      ParseConfig("features { name: 'x' width: 200000 } target { name: 'y' }"
                  "likelihood { name: 'gaussian' } posterior { name: 'diagonal' }"
                  "dynamics { name: 'static' } calibration { name: 'none' }"));
  v1::ExportModelRequest request;
  request.set_name("models/m");
  grpc::ClientContext context;
  const std::int64_t file = BytesOf(*models_->ExportModel(&context, request));
  const auto unread = models_->ExportModel(&context_, request);
  EXPECT_TRUE(Await([&] { return memory_->used() > file + 3 * kPiece / 2; }));
  EXPECT_EQ(BytesOf(*unread), file);
}

// Nobody can read them, but they have come whole.
TEST_F(CallMemoryTest, MessagesThatCannotBeDecodedHaveArrived) {
  Start(1 << 20);
  for (const char* method :
       {"/prequel.v1.LearningService/LearnStream", "/prequel.v1.ModelService/ImportModel"}) {
    EXPECT_EQ(SendNonsense(channel_, method).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    const Arrivals::ByPeer arrived = arrivals_.Take();
    ASSERT_EQ(arrived.size(), 1U) << method;
    EXPECT_EQ(arrived.begin()->second.messages, 1) << method;
    EXPECT_EQ(arrived.begin()->second.bytes, std::ssize(kNonsense)) << method;
  }
}

}  // namespace
}  // namespace prequel::memory_test
