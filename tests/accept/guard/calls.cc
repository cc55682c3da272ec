#include "tests/accept/guard/calls.h"

#include <chrono>
#include <cstddef>

#include "tests/bench/served.h"

namespace prequel::accept {
namespace {

constexpr std::chrono::minutes kPatience{1};

}  // namespace

v1::Batch Zeros(int rows, int columns, bool targets) {
  v1::Batch batch;
  const auto fill = [](v1::Tensor& tensor, std::size_t numbers) {
    tensor.set_dtype(v1::Tensor::DTYPE_FLOAT32);
    tensor.mutable_data()->assign(4 * numbers, '\0');
  };
  batch.mutable_inputs()->add_shape(rows);
  batch.mutable_inputs()->add_shape(columns);
  fill(*batch.mutable_inputs(), static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  if (!targets) return batch;
  batch.mutable_targets()->add_shape(rows);
  fill(*batch.mutable_targets(), static_cast<std::size_t>(rows));
  return batch;
}

v1::ModelConfig Linear(int columns, const std::string& posterior) {
  v1::ModelConfig config;
  v1::Feature* feature = config.add_features();
  feature->set_name("x");
  feature->set_width(columns);
  config.mutable_target()->set_name("y");
  config.mutable_likelihood()->set_name("gaussian");
  config.mutable_posterior()->set_name(posterior);
  config.mutable_dynamics()->set_name("static");
  return config;
}

grpc::Status Create(const Entrance& server, const std::string& id, const v1::ModelConfig& config) {
  grpc::ClientContext context;
  v1::CreateModelRequest request;
  request.set_model_id(id);
  *request.mutable_config() = config;
  v1::Model model;
  return ModelStub(server)->CreateModel(&context, request, &model);
}

void MustCreate(const Entrance& server, const std::string& id, const v1::ModelConfig& config) {
  const grpc::Status status = Create(server, id, config);
  if (!status.ok()) MustBeOk(absl::InternalError(status.error_message()));
}

grpc::Status Delete(const Entrance& server, const std::string& id) {
  grpc::ClientContext context;
  v1::DeleteModelRequest request;
  request.set_name("models/" + id);
  google::protobuf::Empty ignored;
  return ModelStub(server)->DeleteModel(&context, request, &ignored);
}

grpc::Status Learn(v1::LearningService::Stub& stub, const std::string& id, int rows, int columns) {
  v1::LearnRequest request;
  request.set_name("models/" + id);
  *request.mutable_batch() = Zeros(rows, columns, true);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kPatience);
  v1::LearnResponse response;
  return stub.Learn(&context, request, &response);
}

grpc::Status Predict(v1::LearningService::Stub& stub, const std::string& id, int columns,
                     int samples) {
  v1::PredictRequest request;
  request.set_name("models/" + id);
  request.mutable_options()->set_samples(samples);
  *request.mutable_batch() = Zeros(4, columns, false);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kPatience);
  v1::PredictResponse response;
  return stub.Predict(&context, request, &response);
}

}  // namespace prequel::accept
