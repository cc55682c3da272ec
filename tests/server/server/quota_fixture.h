// A server with a policy of two who may do everything, and what it says when a quota is used up.
#pragma once

#include <grpcpp/grpcpp.h>
#include <httplib.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include "absl/strings/escaping.h"
#include "inference/grpc_predict_v2.grpc.pb.h"
#include "server/auth/token_hash.h"
#include "tests/server/await.h"
#include "tests/server/server/server_fixture.h"

namespace prequel {

inline std::string Hash(std::string_view token) {
  const TokenHash hash = HashToken(token);
  return absl::BytesToHexString({reinterpret_cast<const char*>(hash.data()), hash.size()});
}

// Of a refusal: which quota, whose, and the seconds until it is worth trying again.
struct Refusal {
  grpc::StatusCode code;
  std::string reason, quota, owner;
  double retry = 0;
};
inline Refusal RefusalOf(const grpc::Status& status) {
  Refusal refusal{status.error_code(), "", "", "", 0};
  google::rpc::Status details;
  details.ParseFromString(status.error_details());
  for (const google::protobuf::Any& any : details.details()) {
    google::rpc::ErrorInfo info;
    google::rpc::RetryInfo retry;
    if (any.UnpackTo(&info)) {
      refusal.reason = info.reason();
      refusal.quota = info.metadata().contains("quota") ? info.metadata().at("quota") : "";
      refusal.owner = info.metadata().contains("quota_of") ? info.metadata().at("quota_of") : "";
    } else if (any.UnpackTo(&retry)) {
      refusal.retry =
          static_cast<double>(retry.retry_delay().seconds()) + 1e-9 * retry.retry_delay().nanos();
    }
  }
  return refusal;
}

class QuotaTest : public ServerTest {
 protected:
  // Of `bounded`, unless they begin with the block of somebody else.
  void WritePolicy(const std::string& quotas) const {
    std::ofstream(directory_.path("policy"))
        << "[owner]\ntoken = sha256:" << Hash("owner") << "\nrole = admin\nmodels = *\n"
        << "[bounded]\ntoken = sha256:" << Hash("bounded") << "\nrole = admin\nmodels = m*\n"
        << quotas << "\n";
  }
  void Start(const std::string& quotas) {
    WritePolicy(quotas);
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
  grpc::Status DeleteAs(const std::string& token, const std::string& id) {
    v1::DeleteModelRequest request;
    request.set_name("models/" + id);
    google::protobuf::Empty response;
    return models_->DeleteModel(As(token).get(), request, &response);
  }
  grpc::Status LearnAs(const std::string& token, int rows, const std::string& model = "m") {
    v1::LearnRequest request;
    request.set_name("models/" + model);
    *request.mutable_batch() = LinearBatch(1, rows);
    v1::LearnResponse response;
    return learning_->Learn(As(token).get(), request, &response);
  }
  grpc::Status PredictAs(const std::string& token, std::int64_t min_revision = 0,
                         const std::string& model = "m") {
    v1::PredictRequest request;
    request.set_name("models/" + model);
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

  static void ExpectRefusal(const grpc::Status& status, const std::string& quota, double retry,
                            const std::string& owner = "bounded") {
    const Refusal refusal = RefusalOf(status);
    EXPECT_EQ(refusal.code, grpc::StatusCode::RESOURCE_EXHAUSTED);
    EXPECT_EQ(refusal.reason, "QUOTA_EXHAUSTED");
    EXPECT_EQ(refusal.quota, quota);
    EXPECT_EQ(refusal.owner, owner);
    EXPECT_GT(refusal.retry, 0);
    EXPECT_LE(refusal.retry, retry);
    EXPECT_THAT(status.error_message(), ::testing::HasSubstr(quota));
  }
};

}  // namespace prequel
