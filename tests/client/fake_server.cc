#include "tests/client/fake_server.h"

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <algorithm>
#include <mutex>

#include "grpc/health/v1/health.grpc.pb.h"
#include "prequel/v1/learning_service.grpc.pb.h"
#include "tests/client/fake_models.h"
#include "tests/client/fake_state.h"
#include "tests/client/named_numbers.h"

namespace prequel::client {
namespace {

constexpr std::chrono::seconds kPatience(10);

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

class FakeServer::Learning final : public v1::LearningService::Service {
 public:
  explicit Learning(FakeState& state) : state_(state) {}

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
      ++state_.predicts;
    }
    response->set_revision(7);
    if (request->options().scores() && state_.behaviour.scores_batches) {
      *response->mutable_scores() = state_.behaviour.scores;
    } else {
      *response->mutable_predictions() = PredictionsOf(request->batch().inputs().shape(0));
    }
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

  grpc::Status GetEvaluation(grpc::ServerContext*, const v1::GetEvaluationRequest* request,
                             v1::GetEvaluationResponse* response) override {
    *response->mutable_cumulative() = ScoresOf(10);
    const auto& evaluations = state_.behaviour.evaluations;
    const auto found = evaluations.find(request->name());
    if (found != evaluations.end()) *response = found->second;
    return state_.Outcome();
  }

  grpc::Status WatchEvaluation(grpc::ServerContext*, const v1::WatchEvaluationRequest*,
                               grpc::ServerWriter<v1::GetEvaluationResponse>* writer) override {
    for (const v1::GetEvaluationResponse& evaluation : state_.behaviour.watched) {
      writer->Write(evaluation);
    }
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

  FakeState& state_;
  std::int64_t revision_ = 0;
};

class FakeServer::Health final : public grpc::health::v1::Health::Service {
 public:
  explicit Health(FakeState& state) : state_(state) {}

  grpc::Status Check(grpc::ServerContext*, const grpc::health::v1::HealthCheckRequest*,
                     grpc::health::v1::HealthCheckResponse* response) override {
    using grpc::health::v1::HealthCheckResponse;
    response->set_status(state_.behaviour.serving ? HealthCheckResponse::SERVING
                                                  : HealthCheckResponse::NOT_SERVING);
    return grpc::Status::OK;
  }

 private:
  FakeState& state_;
};

struct FakeServer::Running {
  explicit Running(FakeState& state, const std::string& where = "127.0.0.1:0")
      : models(state), learning(state), health(state) {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort(where, grpc::InsecureServerCredentials(), &port);
    builder.RegisterService(&models).RegisterService(&learning).RegisterService(&health);
    server = builder.BuildAndStart();
    address = "127.0.0.1:" + std::to_string(port);
  }

  FakeModels models;
  Learning learning;
  Health health;
  std::unique_ptr<grpc::Server> server;
  std::string address;
};

FakeServer::FakeServer()
    : state_(std::make_unique<FakeState>()), running_(std::make_unique<Running>(*state_)) {}

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

std::int64_t FakeServer::predicts() const {
  std::lock_guard lock(state_->mu);
  return state_->predicts;
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
