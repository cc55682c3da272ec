#include "tests/client/fake_server.h"

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "grpc/health/v1/health.grpc.pb.h"
#include "prequel/v1/learning_service.grpc.pb.h"
#include "prequel/v1/model_service.grpc.pb.h"
#include "tests/client/named_numbers.h"

namespace prequel::client {
namespace {

constexpr std::chrono::seconds kPatience(10);

grpc::Status ToGrpc(const google::rpc::Status& status) {
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), status.message(),
                      status.SerializeAsString());
}

v1::Scores ScoresOf(std::int64_t rows) {
  v1::Scores scores;
  scores.set_examples(static_cast<double>(rows));
  AddScore(scores, "nll", 0.5);
  AddScore(scores, "accuracy", 0.75);
  return scores;
}

v1::Tensor Filled(std::int64_t rows, std::int64_t columns, double value) {
  v1::Tensor tensor;
  tensor.add_shape(rows);
  if (columns > 0) tensor.add_shape(columns);
  const std::int64_t count = rows * std::max<std::int64_t>(1, columns);
  tensor.mutable_values()->Resize(static_cast<int>(count), value);
  return tensor;
}

v1::Predictions PredictionsOf(std::int64_t rows) {
  v1::Predictions predictions;
  *MutableOutput(predictions, "probabilities")->mutable_values() = Filled(rows, 2, 0.5);
  predictions.add_labels("0");
  predictions.add_labels("1");
  for (const char* name : {"entropy", "aleatoric_entropy", "epistemic_entropy"}) {
    *MutableOutput(predictions, name)->mutable_values() = Filled(rows, 0, 0.25);
  }
  return predictions;
}

}  // namespace

struct FakeServer::State {
  FakeBehaviour behaviour;
  mutable std::mutex mu;
  mutable std::condition_variable changed;
  // Guarded by mu.
  std::int64_t received = 0;
  std::int64_t released = 0;
  bool stopping = false;
  v1::LearnStreamRequest first_stream_request, last_stream_request;
  std::vector<std::int64_t> stream_sequences;
  v1::PredictRequest last_predict;
  v1::PredictThenLearnRequest last_predict_then_learn;
  v1::CreateModelRequest last_create;

  grpc::Status Outcome() {
    std::this_thread::sleep_for(behaviour.delay);
    if (behaviour.error.code() == 0 || behaviour.errors == 0) return grpc::Status::OK;
    if (behaviour.errors > 0) --behaviour.errors;
    return ToGrpc(behaviour.error);
  }
};

class FakeServer::Models final : public v1::ModelService::Service {
 public:
  explicit Models(State& state) : state_(state) {}

  grpc::Status CreateModel(grpc::ServerContext*, const v1::CreateModelRequest* request,
                           v1::Model* model) override {
    {
      std::lock_guard lock(state_.mu);
      state_.last_create = *request;
    }
    model->set_name("models/" + request->model_id());
    *model->mutable_config() = request->config();
    model->set_serving(true);
    return state_.Outcome();
  }

  grpc::Status GetModel(grpc::ServerContext*, const v1::GetModelRequest* request,
                        v1::Model* model) override {
    const auto& models = state_.behaviour.models;
    const auto found = std::find_if(models.begin(), models.end(), [&](const v1::Model& known) {
      return known.name() == request->name();
    });
    if (found == models.end()) return {grpc::StatusCode::NOT_FOUND, "no " + request->name()};
    *model = *found;
    return state_.Outcome();
  }

  // The page token is the next model's position.
  grpc::Status ListModels(grpc::ServerContext*, const v1::ListModelsRequest* request,
                          v1::ListModelsResponse* response) override {
    const auto& models = state_.behaviour.models;
    const int size = request->page_size() > 0 ? request->page_size() : state_.behaviour.page_size;
    std::size_t i = request->page_token().empty() ? 0 : std::stoul(request->page_token());
    for (int n = 0; n < size && i < models.size(); ++n) *response->add_models() = models[i++];
    if (i < models.size()) response->set_next_page_token(std::to_string(i));
    return state_.Outcome();
  }

  grpc::Status DeleteModel(grpc::ServerContext*, const v1::DeleteModelRequest*,
                           google::protobuf::Empty*) override {
    return state_.Outcome();
  }

  grpc::Status CreateSnapshot(grpc::ServerContext*, const v1::CreateSnapshotRequest*,
                              v1::Snapshot* snapshot) override {
    snapshot->set_revision(7);
    snapshot->set_bytes(1234);
    return state_.Outcome();
  }

  grpc::Status ListRevisions(grpc::ServerContext*, const v1::ListRevisionsRequest*,
                             v1::ListRevisionsResponse* response) override {
    response->set_revision(9);
    response->set_oldest_revision(3);
    response->add_snapshots()->set_revision(3);
    return state_.Outcome();
  }

  grpc::Status RollbackModel(grpc::ServerContext*, const v1::RollbackModelRequest* request,
                             v1::Model* model) override {
    model->set_name(request->name());
    model->set_revision(10);
    return state_.Outcome();
  }

  grpc::Status ForkModel(grpc::ServerContext*, const v1::ForkModelRequest* request,
                         v1::Model* model) override {
    model->set_name("models/" + request->model_id());
    model->set_revision(request->has_revision() ? request->revision() : 9);
    *model->mutable_config() = request->config();
    return state_.Outcome();
  }

  grpc::Status ExportModel(grpc::ServerContext*, const v1::ExportModelRequest*,
                           grpc::ServerWriter<v1::ModelFilePiece>* writer) override {
    v1::ModelFilePiece piece;
    for (const char* data : {"a model", " in two pieces"}) {
      piece.set_data(data);
      writer->Write(piece);
    }
    return state_.Outcome();
  }

  grpc::Status ImportModel(grpc::ServerContext*, grpc::ServerReader<v1::ImportModelRequest>* reader,
                           v1::Model* model) override {
    v1::ImportModelRequest request;
    std::string file;
    while (reader->Read(&request)) {
      if (!request.model_id().empty()) model->set_name("models/" + request.model_id());
      file += request.data();
    }
    model->set_revision(static_cast<std::int64_t>(file.size()));
    return state_.Outcome();
  }

 private:
  State& state_;
};

class FakeServer::Learning final : public v1::LearningService::Service {
 public:
  explicit Learning(State& state) : state_(state) {}

  grpc::Status Learn(grpc::ServerContext*, const v1::LearnRequest*,
                     v1::LearnResponse* response) override {
    response->set_revision(1);
    return state_.Outcome();
  }

  grpc::Status LearnStream(
      grpc::ServerContext*,
      grpc::ServerReaderWriter<v1::LearnStreamResponse, v1::LearnStreamRequest>* stream) override {
    const FakeBehaviour& behaviour = state_.behaviour;
    v1::LearnStreamRequest request;
    if (!stream->Read(&request)) return grpc::Status::OK;
    {
      std::lock_guard lock(state_.mu);
      state_.first_stream_request = request;
    }
    v1::LearnStreamResponse hello;
    hello.mutable_resume()->set_next_sequence(behaviour.next_sequence);
    stream->Write(hello);
    for (std::int64_t index = 0; stream->Read(&request); ++index) {
      if (!Receive(request, index)) return {grpc::StatusCode::UNAVAILABLE, "going away"};
      if (index == behaviour.end_stream_after) return grpc::Status::OK;
      if (index == behaviour.fail_stream_after) {
        return {grpc::StatusCode::FAILED_PRECONDITION, "the model is gone"};
      }
      stream->Write(Answer(request, index));
    }
    return grpc::Status::OK;
  }

  grpc::Status Predict(grpc::ServerContext*, const v1::PredictRequest* request,
                       v1::PredictResponse* response) override {
    {
      std::lock_guard lock(state_.mu);
      state_.last_predict = *request;
    }
    response->set_revision(7);
    *response->mutable_predictions() = PredictionsOf(request->batch().inputs().shape(0));
    const google::rpc::Status& error = state_.behaviour.predict_error;
    return error.code() == 0 ? state_.Outcome() : ToGrpc(error);
  }

  grpc::Status PredictThenLearn(grpc::ServerContext*, const v1::PredictThenLearnRequest* request,
                                v1::PredictThenLearnResponse* response) override {
    const std::int64_t rows = request->batch().inputs().shape(0);
    {
      std::lock_guard lock(state_.mu);
      state_.last_predict_then_learn = *request;
    }
    response->set_revision(++revision_);
    response->set_repeated(revision_ == state_.behaviour.repeated_revision);
    if (!response->repeated()) *response->mutable_predictions() = PredictionsOf(rows);
    *response->mutable_scores() = ScoresOf(rows);
    response->mutable_report()->set_rows(rows);
    return state_.Outcome();
  }

  grpc::Status GetEvaluation(grpc::ServerContext*, const v1::GetEvaluationRequest*,
                             v1::GetEvaluationResponse* response) override {
    *response->mutable_cumulative() = ScoresOf(10);
    return state_.Outcome();
  }

  grpc::Status WatchEvaluation(grpc::ServerContext*, const v1::WatchEvaluationRequest*,
                               grpc::ServerWriter<v1::GetEvaluationResponse>* writer) override {
    writer->Write(v1::GetEvaluationResponse());
    return state_.Outcome();
  }

 private:
  // Notes the minibatch and waits for leave to answer; false when the server stops first.
  bool Receive(const v1::LearnStreamRequest& request, std::int64_t index) {
    std::unique_lock lock(state_.mu);
    state_.last_stream_request = request;
    state_.stream_sequences.push_back(request.sequence());
    ++state_.received;
    state_.changed.notify_all();
    state_.changed.wait(lock, [&] {
      return state_.stopping || !state_.behaviour.hold_answers || state_.released > index;
    });
    return !state_.stopping;
  }

  v1::LearnStreamResponse Answer(const v1::LearnStreamRequest& request, std::int64_t index) {
    v1::LearnStreamResponse answer;
    // Request 0 was the hello.
    answer.set_index(index == state_.behaviour.wrong_index_at ? index + 2 : index + 1);
    if (state_.behaviour.lost_once == index) {
      state_.behaviour.lost_once = -1;
      state_.behaviour.next_sequence = request.sequence();
      answer.mutable_error()->set_code(state_.behaviour.lost_with);
      return answer;
    }
    if (state_.behaviour.refused.contains(index)) {
      answer.mutable_error()->set_code(grpc::StatusCode::INVALID_ARGUMENT);
      answer.mutable_error()->set_message("minibatch " + std::to_string(index) + " is odd");
      return answer;
    }
    const std::int64_t rows =
        request.batch().inputs().shape().empty() ? 1 : request.batch().inputs().shape(0);
    answer.mutable_learned()->set_revision(index + 1);
    *answer.mutable_learned()->mutable_scores() = ScoresOf(rows);
    answer.mutable_learned()->mutable_report()->set_rows(rows);
    return answer;
  }

  State& state_;
  std::int64_t revision_ = 0;
};

class FakeServer::Health final : public grpc::health::v1::Health::Service {
 public:
  explicit Health(State& state) : state_(state) {}

  grpc::Status Check(grpc::ServerContext*, const grpc::health::v1::HealthCheckRequest*,
                     grpc::health::v1::HealthCheckResponse* response) override {
    using grpc::health::v1::HealthCheckResponse;
    response->set_status(state_.behaviour.serving ? HealthCheckResponse::SERVING
                                                  : HealthCheckResponse::NOT_SERVING);
    return grpc::Status::OK;
  }

 private:
  State& state_;
};

struct FakeServer::Running {
  explicit Running(State& state, const std::string& where = "127.0.0.1:0")
      : models(state), learning(state), health(state) {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort(where, grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&models).RegisterService(&learning).RegisterService(&health);
    server = builder.BuildAndStart();
    address = "127.0.0.1:" + std::to_string(port);
  }

  Models models;
  Learning learning;
  Health health;
  std::unique_ptr<grpc::Server> server;
  std::string address;
};

FakeServer::FakeServer()
    : state_(std::make_unique<State>()), running_(std::make_unique<Running>(*state_)) {}

FakeServer::~FakeServer() { Vanish(); }

const std::string& FakeServer::address() const { return running_->address; }

FakeBehaviour& FakeServer::behaviour() { return state_->behaviour; }

void FakeServer::Release(std::int64_t count) {
  std::lock_guard lock(state_->mu);
  state_->released += count;
  state_->changed.notify_all();
}

std::int64_t FakeServer::received() const {
  std::lock_guard lock(state_->mu);
  return state_->received;
}

bool FakeServer::AwaitReceived(std::int64_t count) const {
  std::unique_lock lock(state_->mu);
  return state_->changed.wait_for(lock, kPatience, [&] { return state_->received >= count; });
}

void FakeServer::Vanish() {
  {
    std::lock_guard lock(state_->mu);
    state_->stopping = true;
    state_->changed.notify_all();
  }
  running_->server->Shutdown(std::chrono::system_clock::now());
  running_->server->Wait();
}

void FakeServer::Return() {
  {
    std::lock_guard lock(state_->mu);
    state_->stopping = false;
  }
  const std::string where = running_->address;
  running_.reset();
  running_ = std::make_unique<Running>(*state_, where);
}

v1::LearnStreamRequest FakeServer::first_stream_request() const {
  std::lock_guard lock(state_->mu);
  return state_->first_stream_request;
}

v1::LearnStreamRequest FakeServer::last_stream_request() const {
  std::lock_guard lock(state_->mu);
  return state_->last_stream_request;
}

std::vector<std::int64_t> FakeServer::stream_sequences() const {
  std::lock_guard lock(state_->mu);
  return state_->stream_sequences;
}

v1::PredictRequest FakeServer::last_predict() const {
  std::lock_guard lock(state_->mu);
  return state_->last_predict;
}

v1::PredictThenLearnRequest FakeServer::last_predict_then_learn() const {
  std::lock_guard lock(state_->mu);
  return state_->last_predict_then_learn;
}

v1::CreateModelRequest FakeServer::last_create() const {
  std::lock_guard lock(state_->mu);
  return state_->last_create;
}

}  // namespace prequel::client
