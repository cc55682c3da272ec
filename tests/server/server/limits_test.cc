// Bounds: what is beyond one is refused or made to wait, and the server goes on.
#include <httplib.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tests/server/server/server_fixture.h"

namespace prequel::limits_test {
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
  clients.reserve(kStreams);
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

// Commits to another model, one large group after the other, for as long as it lives.
class BusyLog {
 public:
  explicit BusyLog(v1::LearningService::Stub& learning)
      : stream_(learning.LearnStream(&context_)), writer_([this] { Write(); }), reader_([this] {
          v1::LearnStreamResponse response;
          while (stream_->Read(&response)) EXPECT_TRUE(response.has_learned());
        }) {}
  ~BusyLog() {
    stop_ = true;
    writer_.join();
    reader_.join();
    EXPECT_TRUE(stream_->Finish().ok());
  }

 private:
  void Write() {
    v1::LearnStreamRequest request;
    request.set_name("models/busy");
    *request.mutable_batch() = LinearBatch(1, 60'000);
    while (!stop_ && stream_->Write(request)) {
    }
    stream_->WritesDone();
  }

  grpc::ClientContext context_;
  const std::unique_ptr<Stream> stream_;
  std::atomic<bool> stop_ = false;
  std::thread writer_, reader_;
};

class DeadlineTest : public ServerTest {
 protected:
  grpc::Status LearnWithin(std::chrono::microseconds timeout) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + timeout);
    v1::LearnRequest request;
    request.set_name("models/m");
    *request.mutable_batch() = LinearBatch(1);
    v1::LearnResponse response;
    return learning_->Learn(&context, request, &response);
  }

  // How many minibatches the engine has refused because they were late.
  int Late() {
    httplib::Client http("http://" + server_->http_address());
    const httplib::Result metrics = http.Get("/metrics");
    const std::string line = "prequel_batches_refused_total{code=\"DEADLINE_EXCEEDED\"} ";
    const std::size_t at = metrics->body.find(line);
    return at == std::string::npos ? 0 : std::stoi(metrics->body.substr(at + line.size()));
  }
};

TEST_F(DeadlineTest, WhatIsLateInTheQueueIsNeverLearned) {
  StartServer();
  ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
  ASSERT_TRUE(CreateModel("busy", LinearConfig()).ok());
  int attempts = 0, learned = 0;
  {
    const BusyLog busy(*learning_);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (Late() < 3 && std::chrono::steady_clock::now() < end) {
      ++attempts;
      const grpc::Status status = LearnWithin(std::chrono::microseconds(2000));
      learned += status.ok() ? 1 : 0;
      EXPECT_TRUE(status.ok() || status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED);
    }
  }
  // Behind everything that was in the queue.
  v1::LearnResponse last;
  ASSERT_TRUE(Learn(LinearBatch(1), &last).ok());
  EXPECT_GE(Late(), 3);
  EXPECT_GE(last.revision() - 1, learned);
  EXPECT_LE(last.revision() - 1, attempts - Late()) << "what was refused must not be learned";
}

}  // namespace
}  // namespace prequel::limits_test
