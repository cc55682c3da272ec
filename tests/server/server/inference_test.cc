// The open inference protocol, by gRPC and by HTTP, beside Predict.
#include <httplib.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "inference/grpc_predict_v2.grpc.pb.h"
#include "tests/server/server/server_fixture.h"

namespace prequel::inference_test {
namespace {

using grpc::StatusCode;
using inference::ModelInferRequest;
using inference::ModelInferResponse;
using ::testing::HasSubstr;

class InferenceTest : public ServerTest {
 protected:
  void SetUp() override {
    StartServer();
    stub_ = inference::GRPCInferenceService::NewStub(channel_);
    ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(Learn(LinearBatch(i)).ok());
    HostPort address;
    ASSERT_TRUE(ParseHostPort(server_->http_address(), &address).ok());
    http_ = std::make_unique<httplib::Client>(address.host, address.port);
  }

  // LinearQuery as one tensor.
  static ModelInferRequest Request(const std::string& name = "x") {
    ModelInferRequest request;
    request.set_model_name("m");
    request.set_id("seven");
    const v1::Batch query = LinearQuery();
    const v1::Tensor& inputs = query.inputs();
    auto* tensor = request.add_inputs();
    tensor->set_name(name);
    tensor->set_datatype("FP64");
    tensor->mutable_shape()->CopyFrom(inputs.shape());
    request.add_raw_input_contents(inputs.data());
    return request;
  }
  static ModelInferRequest Asking(const std::string& output) {
    ModelInferRequest request = Request();
    request.add_outputs()->set_name(output);
    return request;
  }

  grpc::Status Infer(const ModelInferRequest& request, ModelInferResponse* response) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    return stub_->ModelInfer(&context, request, response);
  }
  ModelInferResponse MustInfer(const ModelInferRequest& request) {
    ModelInferResponse response;
    const grpc::Status status = Infer(request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }
  void ExpectRefused(const ModelInferRequest& request, StatusCode code, const std::string& field,
                     const std::string& said) {
    ModelInferResponse response;
    const grpc::Status status = Infer(request, &response);
    const ErrorParts parts = PartsOf(status);
    EXPECT_EQ(parts.code, code) << status.error_message();
    EXPECT_THAT(status.error_message(), HasSubstr(said));
    if (!field.empty()) {
      EXPECT_THAT(parts.fields, ::testing::ElementsAre(field));
    }
  }

  // What Predict answers, by name.
  std::string Predicted(const std::string& output) {
    v1::PredictResponse response;
    EXPECT_TRUE(Predict(LinearQuery(), &response).ok());
    for (const v1::Output& out : response.predictions().outputs()) {
      if (out.name() == output) return out.values().data();
    }
    return "";
  }

  std::string Post(const std::string& path, const std::string& body, int status) {
    const httplib::Result result = http_->Post(path.c_str(), body, "application/json");
    EXPECT_TRUE(result);
    if (!result) return "";
    EXPECT_EQ(result->status, status) << result->body;
    return result->body;
  }
  std::string Get(const std::string& path, int status) {
    const httplib::Result result = http_->Get(path.c_str());
    EXPECT_TRUE(result);
    if (!result) return "";
    EXPECT_EQ(result->status, status) << path << result->body;
    return result->body;
  }

  std::unique_ptr<inference::GRPCInferenceService::Stub> stub_;
  std::unique_ptr<httplib::Client> http_;
};

TEST_F(InferenceTest, AnswersWhatPredictAnswers) {
  for (const char* name : {"x", "input"}) {
    const ModelInferResponse response = MustInfer(Request(name));
    EXPECT_EQ(response.model_name(), "m");
    EXPECT_EQ(response.model_version(), "3");
    EXPECT_EQ(response.id(), "seven");
    EXPECT_EQ(response.parameters().at("revision").int64_param(), 3);
    ASSERT_EQ(response.outputs_size(), 4);  // moments and quantiles
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(response.raw_output_contents(i), Predicted(response.outputs(i).name()));
      EXPECT_FALSE(response.outputs(i).has_contents());
    }
    EXPECT_EQ(response.outputs(3).name(), "quantiles");
    EXPECT_EQ(response.outputs(3).parameters().at("levels").string_param(),
              "0.05,0.25,0.5,0.75,0.95");
    EXPECT_THAT(response.outputs(3).shape(), ::testing::ElementsAre(3, 1, 5));
  }
}

TEST_F(InferenceTest, TypedIsAnsweredTyped) {
  ModelInferRequest request = Asking("mean");
  request.clear_raw_input_contents();
  const v1::Batch query = LinearQuery();
  std::vector<double> values(6);
  std::memcpy(values.data(), query.inputs().data().data(), 6 * sizeof(double));
  request.mutable_inputs(0)->mutable_contents()->mutable_fp64_contents()->Add(values.begin(),
                                                                              values.end());
  const ModelInferResponse response = MustInfer(request);
  ASSERT_EQ(response.outputs_size(), 1);
  EXPECT_TRUE(response.raw_output_contents().empty());
  const auto& mean = response.outputs(0).contents().fp64_contents();
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(mean.data()), 3 * sizeof(double)),
            Predicted("mean"));
}

TEST_F(InferenceTest, OutputsAndOptionsAreQueries) {
  ModelInferRequest request = Asking("upper");
  request.add_outputs()->set_name("mean");
  (*request.mutable_parameters())["interval.levels"].set_string_param("0.8");
  (*request.mutable_parameters())["samples"].set_int64_param(64);
  (*request.mutable_parameters())["raw"].set_bool_param(true);
  const ModelInferResponse response = MustInfer(request);
  ASSERT_EQ(response.outputs_size(), 2);
  EXPECT_EQ(response.outputs(0).name(), "upper");
  EXPECT_THAT(response.outputs(0).shape(), ::testing::ElementsAre(3, 1, 1));
  EXPECT_EQ(response.outputs(1).name(), "mean");
  EXPECT_NE(response.raw_output_contents(1), Predicted("mean")) << "drawn";
  // An option asks its query beside the usual ones.
  request.clear_outputs();
  EXPECT_EQ(MustInfer(request).outputs_size(), 6);
}

TEST_F(InferenceTest, ClassesHaveLabels) {
  v1::ModelConfig config = ClassesConfig();
  config.mutable_target()->clear_num_classes();
  for (const char* label : {"a", "b", "c"}) config.mutable_target()->add_labels(label);
  ASSERT_TRUE(CreateModel("classes", config).ok());
  ModelInferRequest request = Request();
  request.set_model_name("classes");
  const ModelInferResponse all = MustInfer(request);
  EXPECT_EQ(all.outputs(0).name(), "probabilities");
  EXPECT_EQ(all.outputs(all.outputs_size() - 1).name(), "labels");
  request.add_outputs()->set_name("labels");
  const ModelInferResponse labels = MustInfer(request);
  ASSERT_EQ(labels.outputs_size(), 1);
  EXPECT_EQ(labels.outputs(0).datatype(), "BYTES");
  EXPECT_EQ(labels.outputs(0).shape(0), 3);
  EXPECT_EQ(labels.raw_output_contents(0).size(), 3 * 5U);
}

TEST_F(InferenceTest, VersionsAreRevisions) {
  const std::string now = Predicted("mean");
  const ModelInferRequest newest = Asking("mean");
  ModelInferRequest earlier = newest;
  earlier.set_model_version("1");
  const ModelInferResponse first = MustInfer(earlier);
  EXPECT_EQ(first.model_version(), "1");
  EXPECT_NE(first.raw_output_contents(0), now);
  ModelInferRequest later = newest;
  (*later.mutable_parameters())["min_revision"].set_int64_param(4);
  ModelInferResponse waited;
  std::thread waiter([&] { waited = MustInfer(later); });
  EXPECT_TRUE(Learn(LinearBatch(3)).ok());
  waiter.join();
  EXPECT_EQ(waited.parameters().at("revision").int64_param(), 4);
  earlier.set_model_version("first");
  ExpectRefused(earlier, StatusCode::INVALID_ARGUMENT, "model_version", "must be a revision");
  earlier.set_model_version("99");
  ExpectRefused(earlier, StatusCode::OUT_OF_RANGE, "", "99");
}

TEST_F(InferenceTest, RefusalsNameWhatIsWrongAndChangeNothing) {
  const std::string before = Fingerprint();
  ModelInferRequest request = Request();
  request.set_model_name("nobody");
  ExpectRefused(request, StatusCode::NOT_FOUND, "", "nobody");
  request.clear_model_name();
  ExpectRefused(request, StatusCode::INVALID_ARGUMENT, "model_name", "must name a model");
  ExpectRefused(Request("y"), StatusCode::INVALID_ARGUMENT, "inputs[0].name", "tensor \"y\"");
  ExpectRefused(Asking("median"), StatusCode::INVALID_ARGUMENT, "outputs[0].name",
                "\"median\"; this model has aleatoric_variance, epistemic_variance");
  request = Asking("mean");
  request.add_outputs()->set_name("mean");
  ExpectRefused(request, StatusCode::INVALID_ARGUMENT, "outputs[1].name", "second time");
  const auto with = [](const std::string& name, const std::string& value) {
    ModelInferRequest made = Request();
    (*made.mutable_parameters())[name].set_string_param(value);
    return made;
  };
  ExpectRefused(with("samples", "many"), StatusCode::INVALID_ARGUMENT, "parameters.samples",
                "must be an integer");
  ExpectRefused(with("quantiles.levels", "2"), StatusCode::INVALID_ARGUMENT,
                "options.queries[1].options.levels[0]", "must increase");
  request = Asking("mean");
  (*request.mutable_outputs(0)->mutable_parameters())["classification"].set_int64_param(2);
  ExpectRefused(request, StatusCode::INVALID_ARGUMENT, "outputs[0].parameters.classification",
                "is not served");
  ExpectRefused(with("binary_data_output", "yes"), StatusCode::INVALID_ARGUMENT,
                "parameters.binary_data_output", "true or false");
  request = Request();
  const double nan = std::nan("");
  std::memcpy(request.mutable_raw_input_contents(0)->data(), &nan, sizeof(nan));
  ExpectRefused(request, StatusCode::INVALID_ARGUMENT, "batch.inputs[0,0]", "x");
  EXPECT_EQ(Fingerprint(), before);
}

TEST_F(InferenceTest, UnknownParametersAreIgnored) {
  ModelInferRequest request = Asking("mean");
  (*request.mutable_parameters())["content_type"].set_string_param("pd");
  (*request.mutable_parameters())["sequence_id"].set_int64_param(7);
  (*request.mutable_parameters())["quantile.levels"].set_string_param("0.5");
  (*request.mutable_parameters())["priority"];
  (*request.mutable_inputs(0)->mutable_parameters())["content_type"].set_string_param("np");
  (*request.mutable_outputs(0)->mutable_parameters())["hint"].set_int64_param(1);
  EXPECT_EQ(MustInfer(request).raw_output_contents(0), Predicted("mean"));
  (*request.mutable_parameters())["samples"];
  ExpectRefused(request, StatusCode::INVALID_ARGUMENT, "parameters.samples", "must be an integer");
  const std::string inputs =
      R"("inputs":[{"name":"x","datatype":"FP64","shape":[1,2],"data":[0.5,-1]}]})";
  Post("/v2/models/m/infer", R"({"parameters":{"headers":{"a":[1]},"f":0.5},)" + inputs, 200);
  for (const char* bad : {R"("samples":1.5)", R"("raw":[true])", R"("min_revision":null)",
                          R"("interval.levels":{"a":1})"}) {
    EXPECT_THAT(
        Post("/v2/models/m/infer", absl::StrCat(R"({"parameters":{)", bad, "},", inputs), 400),
        HasSubstr("must be"));
  }
}

TEST_F(InferenceTest, SaysWhatThereIs) {
  grpc::ClientContext live_context, ready_context, server_context, model_context, metadata_context;
  inference::ServerLiveResponse live;
  EXPECT_TRUE(stub_->ServerLive(&live_context, {}, &live).ok());
  EXPECT_TRUE(live.live());
  inference::ServerReadyResponse ready;
  EXPECT_TRUE(stub_->ServerReady(&ready_context, {}, &ready).ok());
  EXPECT_TRUE(ready.ready());
  inference::ServerMetadataResponse server;
  EXPECT_TRUE(stub_->ServerMetadata(&server_context, {}, &server).ok());
  EXPECT_EQ(server.name(), "prequel");
  inference::ModelReadyRequest asked;
  asked.set_name("m");
  inference::ModelReadyResponse model;
  EXPECT_TRUE(stub_->ModelReady(&model_context, asked, &model).ok());
  EXPECT_TRUE(model.ready());
  inference::ModelMetadataRequest about;
  about.set_name("m");
  inference::ModelMetadataResponse metadata;
  EXPECT_TRUE(stub_->ModelMetadata(&metadata_context, about, &metadata).ok());
  EXPECT_EQ(metadata.versions(0), "3");
  ASSERT_EQ(metadata.inputs_size(), 1);
  EXPECT_EQ(metadata.inputs(0).name(), "x");
  EXPECT_THAT(metadata.inputs(0).shape(), ::testing::ElementsAre(-1, 2));
  std::vector<std::string> names;
  for (const auto& output : metadata.outputs()) names.push_back(output.name());
  EXPECT_THAT(names, ::testing::IsSupersetOf({"mean", "quantiles", "lower", "logit_mean"}));
}

TEST_F(InferenceTest, HttpSaysTheSame) {
  EXPECT_EQ(Get("/v2/health/live", 200), "{\"live\":true}\n");
  EXPECT_THAT(Get("/v2", 200), HasSubstr(R"({"name":"prequel","version":)"));
  EXPECT_EQ(Get("/v2/models/m/ready", 200), R"({"name":"m","ready":true})");
  EXPECT_EQ(Get("/v2/models/m/versions/3/ready", 200), R"({"name":"m","ready":true})");
  EXPECT_EQ(Get("/v2/models/m/versions/4/ready", 503), R"({"name":"m","ready":false})");
  EXPECT_THAT(Get("/v2/models/m", 200),
              HasSubstr(R"({"name":"x","datatype":"FP64","shape":[-1,2]})"));
  EXPECT_THAT(Get("/v2/models/m/versions/3", 200), HasSubstr(R"("name":"m")"));
  EXPECT_THAT(Get("/v2/models/m/versions/4", 404), HasSubstr("has no version 4"));
  EXPECT_THAT(Get("/v2/models/nobody", 404), HasSubstr(R"({"error":)"));
  EXPECT_THAT(Get("/v2/models", 404), HasSubstr("not found"));
  EXPECT_THAT(Get("/v2/models/m/infer", 405), HasSubstr("POST"));
  EXPECT_THAT(Get("/v2/models/m/config", 404), HasSubstr("not found"));
  EXPECT_THAT(Post("/v2/models/m/ready", "{}", 405), HasSubstr("GET"));
}

TEST_F(InferenceTest, HttpInfers) {
  const std::string body =
      R"({"id":"a","inputs":[{"name":"x","datatype":"FP64","shape":[1,2],"data":[0.5,-1]}],)"
      R"("outputs":[{"name":"mean"}]})";
  const std::string answer = Post("/v2/models/m/infer", body, 200);
  EXPECT_THAT(answer, HasSubstr(R"({"model_name":"m","model_version":"3","id":"a",)"
                                R"("parameters":{"revision":3},"outputs":[{"name":"mean",)"));
  v1::Batch query;
  *query.mutable_inputs() = MakeTensor({1, 2}, {0.5, -1});
  v1::PredictResponse predicted;
  ASSERT_TRUE(Predict(query, &predicted).ok());
  double mean = 0;
  std::memcpy(&mean, predicted.predictions().outputs(0).values().data().data(), sizeof(mean));
  const std::size_t data = answer.find("\"data\":[");
  ASSERT_NE(data, std::string::npos);
  EXPECT_EQ(std::stod(answer.substr(data + 8)), mean);
  EXPECT_THAT(Post("/v2/models/m/versions/1/infer", body, 200), HasSubstr("\"revision\":1"));
  EXPECT_THAT(Post("/v2/models/nobody/infer", body, 404), HasSubstr("nobody"));
  EXPECT_THAT(Post("/v2/models/m/infer", "{", 400), HasSubstr("no JSON"));
  EXPECT_THAT(Post("/v2/models/m/infer", "{}", 400), HasSubstr("has no tensor"));
  const std::string ahead = R"({"parameters":{"min_revision":4},)" + body.substr(1);
  std::thread learner([this] { EXPECT_TRUE(Learn(LinearBatch(3)).ok()); });
  EXPECT_THAT(Post("/v2/models/m/infer", ahead, 200), HasSubstr("\"revision\":4"));
  learner.join();
}

TEST_F(InferenceTest, HttpIsBounded) {
  const std::string large(static_cast<std::size_t>(options_.max_message_bytes) + 1, ' ');
  EXPECT_EQ(http_->Post("/v2/models/m/infer", large, "application/json")->status, 413);
  EXPECT_EQ(http_->Post("/v2/models/m/ready", std::string(5000, ' '), "text/plain")->status, 413);
  const std::string spaces(std::size_t{4} << 20, ' ');
  EXPECT_THAT(Post("/v2/models/m/infer", spaces + "{}", 400), HasSubstr("has no tensor"));
  httplib::Headers zipped = {{"Content-Encoding", "gzip"}};
  EXPECT_EQ(http_->Post("/v2/models/m/infer", zipped, "x", "application/json")->status, 400);
}

}  // namespace
}  // namespace prequel::inference_test
