#include "client/client.h"

#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

#include <string_view>
#include <thread>
#include <utility>

#include "client/access.h"
#include "client/backoff.h"
#include "client/call_error.h"
#include "client/learn_stream_call.h"
#include "client/rpc_status.h"
#include "client/unique_id.h"
#include "google/rpc/status.pb.h"
#include "grpc/health/v1/health.grpc.pb.h"
#include "prequel/v1/learning_service.grpc.pb.h"
#include "prequel/v1/model_service.grpc.pb.h"
#include "prequel/v1/part_service.grpc.pb.h"

namespace prequel::client {
namespace {

constexpr std::string_view kPrefix = "models/";

// "moons" of "moons" and of "models/moons".
std::string ModelId(const std::string& name) {
  return name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : name;
}

std::shared_ptr<grpc::Channel> Connect(const ClientOptions& options, const Access& access) {
  grpc::ChannelArguments arguments;
  // Predictions with quantiles and covariances outgrow gRPC's 4 MiB.
  arguments.SetMaxReceiveMessageSize(-1);
  // The first retry of a lost connection comes quickly; a person may be waiting.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 200);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 5'000);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  if (!options.security.server_name.empty()) {
    arguments.SetSslTargetNameOverride(options.security.server_name);
  }
  return grpc::CreateCustomChannel(options.server, access.credentials(), arguments);
}

// One unary call: `method` is a stub's.
template <typename Stub, typename Request, typename Response>
absl::StatusOr<Response> Invoke(const Access& access, Stub& stub,
                                grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                             Response*),
                                const Request& request, std::chrono::milliseconds timeout) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + timeout);
  const absl::Status prepared = access.Prepare(context);
  if (!prepared.ok()) return prepared;
  Response response;
  const grpc::Status status = (stub.*method)(&context, request, &response);
  if (!status.ok()) return StatusFromGrpc(status);
  return response;
}

// InvokeAgain is Invoke, tried again while `timeout` lasts where that may help (IsTransient). It is
// for what the server does once, however often it is asked.
template <typename Stub, typename Request, typename Response>
absl::StatusOr<Response> InvokeAgain(const Access& access, Stub& stub,
                                     grpc::Status (Stub::*method)(grpc::ClientContext*,
                                                                  const Request&, Response*),
                                     const Request& request, std::chrono::milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  Backoff backoff({.give_up = timeout});
  for (auto left = timeout;;) {
    absl::StatusOr<Response> response = Invoke(access, stub, method, request, left);
    if (!IsTransient(response.status())) return response;
    const auto pause = backoff.Next();
    left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline -
                                                                 std::chrono::steady_clock::now());
    if (!pause.has_value() || left <= *pause) return response;
    std::this_thread::sleep_for(*pause);
    left -= *pause;
  }
}

template <typename Request>
void Identify(const MinibatchNumber& number, Request* request) {
  if (number.producer.empty()) {
    request->set_request_id(UniqueId());
  } else {
    request->set_producer(number.producer);
    request->set_sequence(number.sequence);
  }
}

}  // namespace

struct Client::Stubs {
  explicit Stubs(const std::shared_ptr<grpc::Channel>& channel)
      : models(channel),
        learning(std::make_shared<v1::LearningService::Stub>(channel)),
        parts(channel),
        health(channel) {}

  v1::ModelService::Stub models;
  std::shared_ptr<v1::LearningService::Stub> learning;
  v1::PartService::Stub parts;
  grpc::health::v1::Health::Stub health;
};

std::string ModelName(const std::string& name) { return std::string(kPrefix) + ModelId(name); }

Client::Client(const ClientOptions& options)
    : timeout_(options.timeout),
      access_(std::make_shared<Access>(options.server, options.security, options.credentials)),
      stubs_(std::make_unique<Stubs>(Connect(options, *access_))) {}

Client::~Client() = default;

absl::StatusOr<v1::Model> Client::CreateModel(const std::string& id,
                                              const v1::ModelConfig& config) {
  v1::CreateModelRequest request;
  request.set_model_id(ModelId(id));
  *request.mutable_config() = config;
  return Invoke(*access_, stubs_->models, &v1::ModelService::Stub::CreateModel, request, timeout_);
}

absl::StatusOr<v1::Model> Client::GetModel(const std::string& name) {
  v1::GetModelRequest request;
  request.set_name(ModelName(name));
  return Invoke(*access_, stubs_->models, &v1::ModelService::Stub::GetModel, request, timeout_);
}

absl::StatusOr<v1::ListModelsResponse> Client::ListModels(int page_size,
                                                          const std::string& page_token) {
  v1::ListModelsRequest request;
  request.set_page_size(page_size);
  request.set_page_token(page_token);
  return Invoke(*access_, stubs_->models, &v1::ModelService::Stub::ListModels, request, timeout_);
}

absl::StatusOr<std::vector<v1::Model>> Client::ListAllModels() {
  std::vector<v1::Model> models;
  std::string page_token;
  do {
    absl::StatusOr<v1::ListModelsResponse> page = ListModels(0, page_token);
    if (!page.ok()) return page.status();
    for (v1::Model& model : *page->mutable_models()) models.push_back(std::move(model));
    page_token = page->next_page_token();
  } while (!page_token.empty());
  return models;
}

absl::Status Client::DeleteModel(const std::string& name) {
  v1::DeleteModelRequest request;
  request.set_name(ModelName(name));
  return Invoke(*access_, stubs_->models, &v1::ModelService::Stub::DeleteModel, request, timeout_)
      .status();
}

absl::StatusOr<v1::Snapshot> Client::CreateSnapshot(const std::string& name) {
  v1::CreateSnapshotRequest request;
  request.set_name(ModelName(name));
  return Invoke(*access_, stubs_->models, &v1::ModelService::Stub::CreateSnapshot, request,
                timeout_);
}

absl::StatusOr<v1::ListPartsResponse> Client::ListParts() {
  return Invoke(*access_, stubs_->parts, &v1::PartService::Stub::ListParts, v1::ListPartsRequest(),
                timeout_);
}

absl::StatusOr<v1::ListRevisionsResponse> Client::ListRevisions(const std::string& name) {
  v1::ListRevisionsRequest request;
  request.set_name(ModelName(name));
  return Invoke(*access_, stubs_->models, &v1::ModelService::Stub::ListRevisions, request,
                timeout_);
}

absl::StatusOr<v1::Model> Client::RollbackModel(const std::string& name, std::int64_t revision) {
  v1::RollbackModelRequest request;
  request.set_name(ModelName(name));
  request.set_revision(revision);
  return Invoke(*access_, stubs_->models, &v1::ModelService::Stub::RollbackModel, request,
                timeout_);
}

absl::StatusOr<v1::Model> Client::ForkModel(const std::string& name,
                                            std::optional<std::int64_t> revision,
                                            const std::string& fork,
                                            const v1::ModelConfig* config) {
  v1::ForkModelRequest request;
  request.set_name(ModelName(name));
  if (revision.has_value()) request.set_revision(*revision);
  request.set_model_id(ModelId(fork));
  if (config != nullptr) *request.mutable_config() = *config;
  return Invoke(*access_, stubs_->models, &v1::ModelService::Stub::ForkModel, request, timeout_);
}

absl::Status Client::ExportModel(const std::string& name, std::optional<std::int64_t> revision,
                                 const std::function<void(const std::string&)>& sink) {
  v1::ExportModelRequest request;
  request.set_name(ModelName(name));
  if (revision.has_value()) request.set_revision(*revision);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + timeout_);
  absl::Status prepared = access_->Prepare(context);
  if (!prepared.ok()) return prepared;
  const auto reader = stubs_->models.ExportModel(&context, request);
  v1::ModelFilePiece piece;
  while (reader->Read(&piece)) sink(piece.data());
  return StatusFromGrpc(reader->Finish());
}

absl::StatusOr<v1::Model> Client::ImportModel(const std::string& id,
                                              const std::function<std::string()>& source) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + timeout_);
  const absl::Status prepared = access_->Prepare(context);
  if (!prepared.ok()) return prepared;
  v1::Model model;
  const auto writer = stubs_->models.ImportModel(&context, &model);
  v1::ImportModelRequest request;
  request.set_model_id(ModelId(id));
  for (std::string data = source(); !data.empty(); data = source()) {
    request.set_data(std::move(data));
    if (!writer->Write(request)) break;
    request.clear_model_id();
  }
  writer->WritesDone();
  const grpc::Status status = writer->Finish();
  if (!status.ok()) return StatusFromGrpc(status);
  return model;
}

absl::StatusOr<v1::LearnResponse> Client::Learn(const std::string& name, v1::Batch batch,
                                                const MinibatchNumber& number) {
  v1::LearnRequest request;
  request.set_name(ModelName(name));
  *request.mutable_batch() = std::move(batch);
  Identify(number, &request);
  return InvokeAgain(*access_, *stubs_->learning, &v1::LearningService::Stub::Learn, request,
                     timeout_);
}

std::unique_ptr<LearnStream> Client::OpenLearnStream(const std::string& name,
                                                     const LearnStreamOptions& options,
                                                     LearnStream::AckHandler on_ack) {
  auto open = [stub = stubs_->learning, access = access_,
               model = ModelName(name)](const std::string& producer) {
    return std::make_unique<LearnStream::Call>(stub, *access, model, producer);
  };
  return std::make_unique<LearnStream>(std::move(open), options, std::move(on_ack));
}

absl::StatusOr<std::int64_t> Client::NextSequence(const std::string& name,
                                                  const std::string& producer) {
  const std::unique_ptr<LearnStream> stream = OpenLearnStream(
      name, {.stall_timeout = timeout_, .producer = producer}, [](const LearnAck&) {});
  absl::StatusOr<std::int64_t> next = stream->NextSequence();
  (void)stream->Finish();
  return next;
}

absl::StatusOr<v1::PredictResponse> Client::Predict(const std::string& name, v1::Batch batch,
                                                    const v1::PredictOptions& options,
                                                    const PredictRevision& when) {
  v1::PredictRequest request;
  request.set_name(ModelName(name));
  if (when.revision.has_value()) request.set_revision(*when.revision);
  request.set_min_revision(when.at_least);
  *request.mutable_batch() = std::move(batch);
  *request.mutable_options() = options;
  absl::StatusOr<v1::PredictResponse> answer =
      Invoke(*access_, *stubs_->learning, &v1::LearningService::Stub::Predict, request, timeout_);
  // A server that does not know the option passes over it, and predicts.
  if (answer.ok() && options.scores() && !answer->has_scores()) {
    google::rpc::Status old;
    old.set_code(static_cast<int>(absl::StatusCode::kUnimplemented));
    old.set_message("the server is too old to score what is not learned");
    return StatusFromProto(old);
  }
  return answer;
}

absl::StatusOr<v1::PredictThenLearnResponse> Client::PredictThenLearn(
    const std::string& name, v1::Batch batch, const v1::PredictOptions& options,
    const MinibatchNumber& number) {
  v1::PredictThenLearnRequest request;
  request.set_name(ModelName(name));
  *request.mutable_batch() = std::move(batch);
  *request.mutable_options() = options;
  Identify(number, &request);
  return InvokeAgain(*access_, *stubs_->learning, &v1::LearningService::Stub::PredictThenLearn,
                     request, timeout_);
}

absl::StatusOr<v1::GetEvaluationResponse> Client::GetEvaluation(const std::string& name) {
  v1::GetEvaluationRequest request;
  request.set_name(ModelName(name));
  return Invoke(*access_, *stubs_->learning, &v1::LearningService::Stub::GetEvaluation, request,
                timeout_);
}

absl::Status Client::WatchEvaluation(
    const std::string& name, std::chrono::milliseconds interval,
    const std::function<bool(const v1::GetEvaluationResponse&)>& sink) {
  v1::WatchEvaluationRequest request;
  request.set_name(ModelName(name));
  request.mutable_min_interval()->set_seconds(interval.count() / 1000);
  request.mutable_min_interval()->set_nanos(static_cast<int>(interval.count() % 1000) * 1'000'000);
  grpc::ClientContext context;
  absl::Status prepared = access_->Prepare(context);
  if (!prepared.ok()) return prepared;
  const auto reader = stubs_->learning->WatchEvaluation(&context, request);
  v1::GetEvaluationResponse evaluation;
  while (reader->Read(&evaluation)) {
    if (sink(evaluation)) continue;
    context.TryCancel();
    (void)reader->Finish();
    return absl::OkStatus();
  }
  return StatusFromGrpc(reader->Finish());
}

absl::StatusOr<bool> Client::CheckHealth(const std::string& service) {
  grpc::health::v1::HealthCheckRequest request;
  request.set_service(service);
  absl::StatusOr<grpc::health::v1::HealthCheckResponse> response =
      Invoke(*access_, stubs_->health, &grpc::health::v1::Health::Stub::Check, request, timeout_);
  if (!response.ok()) return response.status();
  return response->status() == grpc::health::v1::HealthCheckResponse::SERVING;
}

}  // namespace prequel::client
