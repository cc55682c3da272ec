// What each principal may use, over the network: which quota refuses, and when to come again.
#include <httplib.h>

#include <chrono>
#include <fstream>
#include <map>
#include <string>
#include <thread>

#include "absl/strings/escaping.h"
#include "inference/grpc_predict_v2.grpc.pb.h"
#include "server/auth/token_hash.h"
#include "tests/server/server/server_fixture.h"

namespace prequel {
namespace {

using grpc::StatusCode;
using std::chrono::steady_clock;

std::string Hash(std::string_view token) {
  const TokenHash hash = HashToken(token);
  return absl::BytesToHexString({reinterpret_cast<const char*>(hash.data()), hash.size()});
}

// Of a refusal: which quota, and the seconds until it is worth trying again.
struct Refusal {
  StatusCode code;
  std::string reason, quota;
  double retry = 0;
};
Refusal RefusalOf(const grpc::Status& status) {
  Refusal refusal{status.error_code(), "", "", 0};
  google::rpc::Status details;
  details.ParseFromString(status.error_details());
  for (const google::protobuf::Any& any : details.details()) {
    google::rpc::ErrorInfo info;
    google::rpc::RetryInfo retry;
    if (any.UnpackTo(&info)) {
      refusal.reason = info.reason();
      refusal.quota = info.metadata().contains("quota") ? info.metadata().at("quota") : "";
    } else if (any.UnpackTo(&retry)) {
      refusal.retry =
          static_cast<double>(retry.retry_delay().seconds()) + 1e-9 * retry.retry_delay().nanos();
    }
  }
  return refusal;
}

class QuotaTest : public ServerTest {
 protected:
  void Start(const std::string& quotas) {
    std::ofstream(directory_.path("policy"))
        << "[owner]\ntoken = sha256:" << Hash("owner") << "\nrole = admin\nmodels = *\n"
        << "[bounded]\ntoken = sha256:" << Hash("bounded") << "\nrole = admin\nmodels = m*\n"
        << quotas << "\n";
    options_.policy = directory_.path("policy");
    StartServer();
    EXPECT_TRUE(Create("owner", "m").ok());
  }

  static std::unique_ptr<grpc::ClientContext> As(const std::string& token) {
    auto context = std::make_unique<grpc::ClientContext>();
    context->AddMetadata("authorization", "Bearer " + token);
    context->set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
    return context;
  }
  grpc::Status Create(const std::string& token, const std::string& id) {
    v1::CreateModelRequest request;
    request.set_model_id(id);
    *request.mutable_config() = LinearConfig();
    v1::Model response;
    return models_->CreateModel(As(token).get(), request, &response);
  }
  grpc::Status LearnAs(const std::string& token, int rows) {
    v1::LearnRequest request;
    request.set_name("models/m");
    *request.mutable_batch() = LinearBatch(1, rows);
    v1::LearnResponse response;
    return learning_->Learn(As(token).get(), request, &response);
  }
  grpc::Status PredictAs(const std::string& token, std::int64_t min_revision = 0) {
    v1::PredictRequest request;
    request.set_name("models/m");
    request.set_min_revision(min_revision);
    *request.mutable_batch() = LinearQuery();
    v1::PredictResponse response;
    return learning_->Predict(As(token).get(), request, &response);
  }

  static inference::ModelInferRequest InferRequest() {
    inference::ModelInferRequest request;
    request.set_model_name("m");
    auto* tensor = request.add_inputs();
    tensor->set_name("x");
    tensor->set_datatype("FP64");
    tensor->mutable_shape()->CopyFrom(LinearQuery().inputs().shape());
    request.add_raw_input_contents(LinearQuery().inputs().data());
    return request;
  }
  grpc::Status InferAs(const std::string& token) {
    inference::ModelInferResponse response;
    return inference::GRPCInferenceService::NewStub(channel_)->ModelInfer(
        As(token).get(), InferRequest(), &response);
  }
  // By HTTP: the status.
  int PostAs(const std::string& token) {
    HostPort address;
    EXPECT_TRUE(ParseHostPort(server_->http_address(), &address).ok());
    const httplib::Result result =
        httplib::Client(address.host, address.port)
            .Post("/v2/models/m/infer", {{"Authorization", "Bearer " + token}},
                  R"({"inputs":[{"name":"x","datatype":"FP64","shape":[1,2],"data":[1,2]}]})",
                  "application/json");
    return result ? result->status : 0;
  }

  static void ExpectRefusal(const grpc::Status& status, const std::string& quota, double retry) {
    const Refusal refusal = RefusalOf(status);
    EXPECT_EQ(refusal.code, StatusCode::RESOURCE_EXHAUSTED);
    EXPECT_EQ(refusal.reason, "QUOTA_EXHAUSTED");
    EXPECT_EQ(refusal.quota, quota);
    EXPECT_GT(refusal.retry, 0);
    EXPECT_LE(refusal.retry, retry);
    EXPECT_THAT(status.error_message(), ::testing::HasSubstr(quota));
  }
};

TEST_F(QuotaTest, CallsInFlight) {
  Start("calls_in_flight = 1");
  const auto context = As("bounded");
  const auto stream = learning_->LearnStream(context.get());
  v1::LearnStreamRequest request;
  request.set_name("models/m");
  *request.mutable_batch() = LinearBatch(1);
  ASSERT_TRUE(stream->Write(request));
  v1::LearnStreamResponse response;
  ASSERT_TRUE(stream->Read(&response));
  ExpectRefusal(PredictAs("bounded"), "calls_in_flight", 1);
  EXPECT_TRUE(PredictAs("owner").ok());
  const auto second_context = As("bounded");
  const auto second = learning_->LearnStream(second_context.get());
  ExpectRefusal(second->Finish(), "calls_in_flight", 1);
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_TRUE(PredictAs("bounded").ok());
}

TEST_F(QuotaTest, BytesInFlight) {
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

TEST_F(QuotaTest, RowsPerSecond) {
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

TEST_F(QuotaTest, TheOpenProtocolIsOneOfTheCallsInFlight) {
  Start("calls_in_flight = 1");
  const auto context = As("bounded");
  const auto stream = learning_->LearnStream(context.get());
  v1::LearnStreamRequest request;
  request.set_name("models/m");
  *request.mutable_batch() = LinearBatch(1);
  ASSERT_TRUE(stream->Write(request));
  v1::LearnStreamResponse response;
  ASSERT_TRUE(stream->Read(&response));
  ExpectRefusal(InferAs("bounded"), "calls_in_flight", 1);
  EXPECT_EQ(PostAs("bounded"), 429);
  EXPECT_TRUE(InferAs("owner").ok());
  EXPECT_EQ(PostAs("owner"), 200);
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_TRUE(InferAs("bounded").ok());
  EXPECT_EQ(PostAs("bounded"), 200);
}

TEST_F(QuotaTest, TheOpenProtocolPaysForItsRows) {
  Start("rows_per_second = 1");
  EXPECT_TRUE(InferAs("bounded").ok());
  ExpectRefusal(InferAs("bounded"), "rows_per_second", 4);
  EXPECT_EQ(PostAs("bounded"), 429);
  ExpectRefusal(PredictAs("bounded"), "rows_per_second", 4);
  EXPECT_TRUE(InferAs("owner").ok());
  EXPECT_EQ(PostAs("owner"), 200);
}

// A stream is not refused but read more slowly.
TEST_F(QuotaTest, RowsPerSecondOfAStream) {
  Start("rows_per_second = 40");
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

TEST_F(QuotaTest, AStreamThatWaitsForAQuotaStops) {
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

TEST_F(QuotaTest, Models) {
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
}  // namespace prequel
