// What each principal may use, over the network: which quota refuses, and when to come again.
#include <chrono>
#include <string>
#include <thread>

#include "tests/server/server/quota_fixture.h"

namespace prequel::quota_test {
namespace {

using grpc::StatusCode;
using std::chrono::steady_clock;

class PrincipalQuotaTest : public QuotaTest {
 protected:
  // One that has been answered once.
  auto OpenStream(grpc::ClientContext* context) {
    auto stream = learning_->LearnStream(context);
    v1::LearnStreamRequest request;
    request.set_name("models/m");
    *request.mutable_batch() = LinearBatch(1);
    EXPECT_TRUE(stream->Write(request));
    v1::LearnStreamResponse response;
    EXPECT_TRUE(stream->Read(&response));
    return stream;
  }
};

TEST_F(PrincipalQuotaTest, CallsInFlight) {
  Start("calls_in_flight = 1");
  const auto context = As("bounded");
  const auto stream = OpenStream(context.get());
  ExpectRefusal(PredictAs("bounded"), "calls_in_flight", 1);
  ExpectRefusal(DeleteAs("bounded", "m"), "calls_in_flight", 1);
  EXPECT_TRUE(PredictAs("owner").ok());
  const auto second_context = As("bounded");
  const auto second = learning_->LearnStream(second_context.get());
  ExpectRefusal(second->Finish(), "calls_in_flight", 1);
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_TRUE(PredictAs("bounded").ok());
}

TEST_F(PrincipalQuotaTest, WhatIsInProgressCountsForQuotasThatComeLater) {
  Start("");
  const auto context = As("bounded");
  const auto stream = OpenStream(context.get());
  EXPECT_TRUE(PredictAs("bounded").ok());
  WritePolicy("calls_in_flight = 1");
  EXPECT_TRUE(Await([this] { return !PredictAs("bounded").ok(); }));
  ExpectRefusal(PredictAs("bounded"), "calls_in_flight", 1);
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_TRUE(PredictAs("bounded").ok());
}

TEST_F(PrincipalQuotaTest, BytesInFlight) {
  Start("bytes_in_flight = 10");
  grpc::Status waiting;
  const auto until = steady_clock::now() + std::chrono::seconds(20);
  // It may itself come while the other is in progress.
  std::thread waiter([&] {
    do {
      waiting = PredictAs("bounded", 3);
    } while (waiting.error_code() == StatusCode::RESOURCE_EXHAUSTED && steady_clock::now() < until);
  });
  grpc::Status status;
  do {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    status = PredictAs("bounded");
  } while (status.ok() && steady_clock::now() < until);
  ExpectRefusal(status, "bytes_in_flight", 1);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(LearnAs("owner", 8).ok());
  waiter.join();
  EXPECT_TRUE(waiting.ok()) << waiting.error_message();
  EXPECT_TRUE(PredictAs("bounded").ok());
}

TEST_F(PrincipalQuotaTest, RowsPerSecond) {
  Start("rows_per_second = 1");
  EXPECT_TRUE(LearnAs("bounded", 50).ok());
  ExpectRefusal(LearnAs("bounded", 1), "rows_per_second", 51);
  ExpectRefusal(PredictAs("bounded"), "rows_per_second", 51);
  EXPECT_TRUE(LearnAs("owner", 50).ok());
  // What was refused was not learned.
  v1::GetEvaluationRequest request;
  request.set_name("models/m");
  v1::GetEvaluationResponse evaluation;
  ASSERT_TRUE(learning_->GetEvaluation(As("bounded").get(), request, &evaluation).ok());
  EXPECT_EQ(evaluation.revision(), 2);
}

TEST_F(PrincipalQuotaTest, TheOpenProtocolIsOneOfTheCallsInFlight) {
  Start("calls_in_flight = 1");
  const auto context = As("bounded");
  const auto stream = OpenStream(context.get());
  ExpectRefusal(InferAs("bounded"), "calls_in_flight", 1);
  EXPECT_EQ(PostAs("bounded"), 429);
  EXPECT_TRUE(InferAs("owner").ok());
  EXPECT_EQ(PostAs("owner"), 200);
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_TRUE(InferAs("bounded").ok());
  EXPECT_EQ(PostAs("bounded"), 200);
}

TEST_F(PrincipalQuotaTest, TheOpenProtocolPaysForItsRows) {
  Start("rows_per_second = 1");
  EXPECT_TRUE(InferAs("bounded").ok());
  ExpectRefusal(InferAs("bounded"), "rows_per_second", 4);
  EXPECT_EQ(PostAs("bounded"), 429);
  ExpectRefusal(PredictAs("bounded"), "rows_per_second", 4);
  EXPECT_TRUE(InferAs("owner").ok());
  EXPECT_EQ(PostAs("owner"), 200);
}

// A stream is not refused but read more slowly.
class QuotaOfAStreamTest : public QuotaTest, public ::testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(OfCallerAndModel, QuotaOfAStreamTest,
                         ::testing::Values("rows_per_second = 40",
                                           "[models/m*]\nrows_per_second = 40"));

TEST_P(QuotaOfAStreamTest, RowsPerSecond) {
  Start(GetParam());
  const auto start = steady_clock::now();
  const auto context = As("bounded");
  const auto stream = learning_->LearnStream(context.get());
  for (int i = 0; i < 10; ++i) {
    v1::LearnStreamRequest request;
    request.set_name("models/m");
    *request.mutable_batch() = LinearBatch(i, 8);
    ASSERT_TRUE(stream->Write(request));
  }
  stream->WritesDone();
  v1::LearnStreamResponse response;
  int learned = 0;
  while (stream->Read(&response)) {
    EXPECT_FALSE(response.has_error()) << response.error().message();
    ++learned;
  }
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_EQ(learned, 10);
  // 40 at once, then 32 more until the last may pass.
  EXPECT_GE(steady_clock::now() - start, std::chrono::milliseconds(750));
}

TEST_F(PrincipalQuotaTest, AStreamThatWaitsForAQuotaStops) {
  Start("rows_per_second = 1");
  const auto context = As("bounded");
  const auto stream = learning_->LearnStream(context.get());
  v1::LearnStreamRequest request;
  request.set_name("models/m");
  *request.mutable_batch() = LinearBatch(1, 1000);
  ASSERT_TRUE(stream->Write(request));
  ASSERT_TRUE(stream->Write(request));
  v1::LearnStreamResponse response;
  ASSERT_TRUE(stream->Read(&response));
  const auto start = steady_clock::now();
  server_->Stop();
  EXPECT_LT(steady_clock::now() - start, std::chrono::seconds(8));
  while (stream->Read(&response)) EXPECT_TRUE(response.has_error());
  EXPECT_EQ(stream->Finish().error_code(), StatusCode::UNAVAILABLE);
}

TEST_F(PrincipalQuotaTest, Models) {
  Start("max_models = 2");
  EXPECT_TRUE(Create("owner", "elsewhere").ok());
  EXPECT_TRUE(Create("bounded", "m2").ok());
  ExpectRefusal(Create("bounded", "m3"), "max_models", 60);
  v1::ForkModelRequest request;
  request.set_name("models/m");
  request.set_model_id("m3");
  v1::Model model;
  ExpectRefusal(models_->ForkModel(As("bounded").get(), request, &model), "max_models", 60);
  EXPECT_TRUE(Create("owner", "m3").ok());
}

}  // namespace
}  // namespace prequel::quota_test
