#include "tests/server/server/server_fixture.h"

#include <google/protobuf/text_format.h>
#include <grpcpp/generic/generic_stub.h>
#include <stdlib.h>

#include <cmath>
#include <future>
#include <system_error>
#include <utility>

namespace prequel {

TemporaryDirectory::TemporaryDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "prequel-XXXXXX").string();
  path_ = mkdtemp(name.data());
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

v1::ModelConfig ParseConfig(const std::string& text) {
  v1::ModelConfig config;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &config)) << text;
  return config;
}

v1::ModelConfig LinearConfig() {
  return ParseConfig(
      "features { name: 'x' width: 2 } target { name: 'y' }"
      "likelihood { name: 'gaussian' }");
}

v1::ModelConfig ClassesConfig() {
  return ParseConfig(
      "features { name: 'x' width: 2 } target { name: 'y' num_classes: 3 }"
      "likelihood { name: 'categorical' }");
}

v1::Tensor MakeTensor(const std::vector<std::int64_t>& shape, const std::vector<double>& values) {
  v1::Tensor tensor;
  tensor.set_dtype(v1::Tensor::DTYPE_FLOAT64);
  for (std::int64_t extent : shape) tensor.add_shape(extent);
  tensor.mutable_data()->assign(reinterpret_cast<const char*>(values.data()),
                                values.size() * sizeof(double));
  return tensor;
}

v1::Batch LinearBatch(int seed, int rows) {
  std::vector<double> inputs, targets;
  for (int row = 0; row < rows; ++row) {
    const double a = std::sin(1 + 31.0 * seed + 7.0 * row);
    const double b = std::cos(2 + 17.0 * seed + 3.0 * row);
    inputs.insert(inputs.end(), {a, b});
    targets.push_back(0.5 + 2 * a - b + 0.1 * std::sin(91.0 * seed + 13.0 * row));
  }
  v1::Batch batch;
  *batch.mutable_inputs() = MakeTensor({rows, 2}, inputs);
  *batch.mutable_targets() = MakeTensor({rows}, targets);
  return batch;
}

v1::Batch LinearQuery(int rows) {
  v1::Batch batch = LinearBatch(1234, rows);
  batch.clear_targets();
  return batch;
}

grpc::Status SendNonsense(const std::shared_ptr<grpc::Channel>& channel, const char* method) {
  grpc::GenericStub stub(channel);
  const grpc::Slice bytes{std::string(kNonsense)};
  const grpc::ByteBuffer request(&bytes, 1);
  grpc::ClientContext context;
  grpc::ByteBuffer response;
  std::promise<grpc::Status> answered;
  stub.UnaryCall(&context, method, {}, &request, &response,
                 [&answered](grpc::Status status) { answered.set_value(std::move(status)); });
  return answered.get_future().get();
}

ErrorParts PartsOf(const google::rpc::Status& status) {
  ErrorParts parts;
  parts.code = static_cast<grpc::StatusCode>(status.code());
  for (const google::protobuf::Any& detail : status.details()) {
    google::rpc::ErrorInfo info;
    google::rpc::BadRequest bad_request;
    if (detail.UnpackTo(&info)) {
      EXPECT_EQ(info.domain(), "prequel");
      parts.reason = info.reason();
    } else if (detail.UnpackTo(&bad_request)) {
      for (const auto& violation : bad_request.field_violations()) {
        EXPECT_FALSE(violation.description().empty());
        parts.fields.push_back(violation.field());
      }
    }
  }
  return parts;
}

ErrorParts PartsOf(const grpc::Status& status) {
  google::rpc::Status details;
  EXPECT_TRUE(details.ParseFromString(status.error_details()));
  ErrorParts parts = PartsOf(details);
  parts.code = status.error_code();
  return parts;
}

ServerTest::ServerTest() {
  options_.data_dir = directory_.path("data");
  options_.listen = "127.0.0.1:0";
  options_.http = "127.0.0.1:0";
  options_.workers = 2;
  options_.drain = std::chrono::seconds(5);
}

void ServerTest::StartServer() {
  absl::StatusOr<std::unique_ptr<Server>> server = Server::Start(options_);
  ASSERT_TRUE(server.ok()) << server.status();
  server_ = *std::move(server);
  server_->AwaitReady();
  Connect();
}

void ServerTest::Connect(const grpc::ChannelArguments& arguments) {
  grpc::ChannelArguments own = arguments;
  own.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // a connection of its own
  channel_ = grpc::CreateCustomChannel(server_->address(), grpc::InsecureChannelCredentials(), own);
  models_ = v1::ModelService::NewStub(channel_);
  learning_ = v1::LearningService::NewStub(channel_);
}

grpc::Status ServerTest::CreateModel(const std::string& id, const v1::ModelConfig& config,
                                     v1::Model* model) {
  grpc::ClientContext context;
  v1::CreateModelRequest request;
  request.set_model_id(id);
  *request.mutable_config() = config;
  v1::Model ignored;
  return models_->CreateModel(&context, request, model == nullptr ? &ignored : model);
}

grpc::Status ServerTest::Learn(const v1::Batch& batch, v1::LearnResponse* response,
                               const std::string& id) {
  grpc::ClientContext context;
  v1::LearnRequest request;
  request.set_name("models/" + id);
  *request.mutable_batch() = batch;
  v1::LearnResponse ignored;
  return learning_->Learn(&context, request, response == nullptr ? &ignored : response);
}

grpc::Status ServerTest::Predict(const v1::Batch& batch, v1::PredictResponse* response,
                                 const std::string& id) {
  grpc::ClientContext context;
  v1::PredictRequest request;
  request.set_name("models/" + id);
  *request.mutable_batch() = batch;
  return learning_->Predict(&context, request, response);
}

std::string ServerTest::Fingerprint(const std::string& id) {
  v1::PredictResponse predicted;
  const grpc::Status status = Predict(LinearQuery(), &predicted, id);
  EXPECT_TRUE(status.ok()) << status.error_message();
  grpc::ClientContext context;
  v1::GetEvaluationRequest request;
  request.set_name("models/" + id);
  v1::GetEvaluationResponse evaluation;
  const grpc::Status evaluated = learning_->GetEvaluation(&context, request, &evaluation);
  EXPECT_TRUE(evaluated.ok()) << evaluated.error_message();
  return predicted.SerializeAsString() + evaluation.SerializeAsString();
}

}  // namespace prequel
