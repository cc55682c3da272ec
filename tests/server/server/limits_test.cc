// Bounds: what is beyond one is refused or made to wait, and the server goes on.
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tests/server/server/server_fixture.h"

namespace prequel {
namespace {

using LimitsTest = ServerTest;
using Stream = grpc::ClientReaderWriter<v1::LearnStreamRequest, v1::LearnStreamResponse>;

TEST_F(LimitsTest, AMessageOverTheLimit) {
  options_.max_message_bytes = 64 << 10;
  StartServer();
  ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
  ASSERT_TRUE(Learn(LinearBatch(1, 2000)).ok());
  const std::string before = Fingerprint();
  const grpc::Status status = Learn(LinearBatch(1, 8000));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(), ::testing::HasSubstr("65536"));
  EXPECT_EQ(Fingerprint(), before);
  EXPECT_TRUE(Learn(LinearBatch(1)).ok());
}

TEST_F(LimitsTest, AMessageOverTheLimitEndsItsStreamOnly) {
  options_.max_message_bytes = 64 << 10;
  StartServer();
  ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
  grpc::ClientContext context;
  const std::unique_ptr<Stream> stream = learning_->LearnStream(&context);
  v1::LearnStreamRequest request;
  request.set_name("models/m");
  *request.mutable_batch() = LinearBatch(1);
  v1::LearnStreamResponse response;
  ASSERT_TRUE(stream->Write(request));
  ASSERT_TRUE(stream->Read(&response));
  const std::string before = Fingerprint();
  *request.mutable_batch() = LinearBatch(1, 8000);
  stream->Write(request);
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(Fingerprint(), before);
  EXPECT_TRUE(Learn(LinearBatch(1)).ok());
}

TEST_F(LimitsTest, TooManyRowsNameTheShape) {
  options_.max_batch_rows = 100;
  StartServer();
  ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
  const std::string before = Fingerprint();
  const ErrorParts parts = PartsOf(Learn(LinearBatch(1, 101)));
  EXPECT_EQ(parts.code, grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(parts.fields, ::testing::ElementsAre("batch.inputs.shape"));
  EXPECT_EQ(Fingerprint(), before);
  EXPECT_TRUE(Learn(LinearBatch(1, 100)).ok());
}

TEST_F(LimitsTest, AnAnswerThatWouldBeTooLarge) {
  options_.max_answer_bytes = 10'000;
  StartServer();
  ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
  v1::PredictResponse response;
  const ErrorParts parts = PartsOf(Predict(LinearQuery(1000), &response));
  EXPECT_EQ(parts.code, grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(parts.fields, ::testing::ElementsAre("batch"));
  EXPECT_TRUE(Predict(LinearQuery(10), &response).ok());
}

TEST_F(LimitsTest, TooManyModels) {
  options_.max_models = 1;
  StartServer();
  ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
  const ErrorParts parts = PartsOf(CreateModel("n", LinearConfig()));
  EXPECT_EQ(parts.code, grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(parts.reason, "LIMIT_REACHED");
  EXPECT_TRUE(Learn(LinearBatch(1)).ok());
}

TEST_F(LimitsTest, AStreamWaitsForRoomInTheQueue) {
  constexpr int kStreams = 4, kBatches = 200;
  options_.queue_batches = 2;
  StartServer();
  ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
  std::atomic<int> learned = 0;
  std::vector<std::thread> clients;
  for (int client = 0; client < kStreams; ++client) {
    clients.emplace_back([this, &learned] {
      grpc::ClientContext context;
      const std::unique_ptr<Stream> stream = learning_->LearnStream(&context);
      v1::LearnStreamRequest request;
      request.set_name("models/m");
      for (int i = 0; i < kBatches; ++i) {
        *request.mutable_batch() = LinearBatch(i);
        if (!stream->Write(request)) break;
      }
      stream->WritesDone();
      v1::LearnStreamResponse response;
      while (stream->Read(&response)) learned += response.has_learned() ? 1 : 0;
      EXPECT_TRUE(stream->Finish().ok());
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(learned, kStreams * kBatches);
  v1::PredictResponse response;
  ASSERT_TRUE(Predict(LinearQuery(), &response).ok());
  EXPECT_EQ(response.revision(), kStreams * kBatches);
}

TEST_F(LimitsTest, ADeadlineThatPassesWhileTheCallWaits) {
  options_.workers = 1;
  StartServer();
  v1::ModelConfig slow = LinearConfig();
  slow.mutable_features(0)->set_width(1500);
  ASSERT_TRUE(CreateModel("slow", slow).ok());
  ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
  const std::string before = Fingerprint();
  v1::LearnRequest request;
  request.set_name("models/slow");
  constexpr int kRows = 512;
  *request.mutable_batch()->mutable_inputs() =
      MakeTensor({kRows, 1500}, std::vector<double>(std::size_t{kRows} * 1500, 0.5));
  *request.mutable_batch()->mutable_targets() =
      MakeTensor({kRows}, std::vector<double>(kRows, 1.0));
  std::thread busy([this, &request] {
    grpc::ClientContext context;
    v1::LearnResponse response;
    EXPECT_TRUE(learning_->Learn(&context, request, &response).ok());
  });
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::microseconds(300));
  v1::LearnRequest late;
  late.set_name("models/m");
  *late.mutable_batch() = LinearBatch(1);
  v1::LearnResponse response;
  const grpc::Status status = learning_->Learn(&context, late, &response);
  busy.join();
  // Refused, it left no trace; had it been in time, it was answered.
  if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED) {
    v1::PredictResponse now;
    ASSERT_TRUE(Predict(LinearQuery(), &now).ok());
    if (now.revision() == 0) {
      EXPECT_EQ(Fingerprint(), before);
    }
  } else {
    EXPECT_TRUE(status.ok()) << status.error_message();
  }
  EXPECT_TRUE(Learn(LinearBatch(1)).ok());
}

}  // namespace
}  // namespace prequel
