// Every request message of prequel.v1, from bytes to the state.
//
// The input chooses a message and a model and holds the message's bytes. It goes the way of the
// server's methods, gRPC and the threads left out: conversion, checks, then the fold or the
// predictive. A refusal names its field and leaves the state as it was; what is logged is read
// again as what was learned; what is answered can travel.
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "prequel/v1/learning_service.pb.h"
#include "prequel/v1/model_service.pb.h"
#include "server/engine/actor/intake.h"
#include "server/engine/actor/registry.h"
#include "server/engine/fold/model_fold.h"
#include "server/engine/history/model_file.h"
#include "server/engine/question.h"
#include "server/rpc/learning/learn_call.h"
#include "server/rpc/models/page_token.h"
#include "server/rpc/resource_name.h"
#include "server/wire/batch_message.h"
#include "server/wire/evaluation_message.h"
#include "server/wire/model_message.h"
#include "server/wire/prediction_message.h"
#include "tests/fuzz/config_checks.h"
#include "tests/fuzz/folding.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/learners.h"
#include "tests/fuzz/refusal.h"

namespace prequel::fuzz {
namespace {

constexpr Index kMaxRows = 64;
constexpr int kMaxSamples = 64;
constexpr std::int64_t kMaxAnswerBytes = 1 << 20;

Scratch& FuzzScratch() {
  static Scratch& scratch = *new Scratch();
  return scratch;
}

// A model that has learned something, made once.
struct Start {
  std::string bytes;  // of the state
  Published published;
};

const Start& StartOf(const std::shared_ptr<const Learner>& learner) {
  static auto& starts = *new std::map<const Learner*, Start>();
  Start& start = starts[learner.get()];
  if (start.published.state != nullptr) return start;
  ModelFold fold(learner);
  const absl::StatusOr<Learned> learned =
      fuzz::Learn(fold, {}, SampleBatch(*learner, 1), FuzzScratch());
  Require(learned.ok(), "the sample is learned", learned.status().ToString());
  start = {learner->EncodeState(*fold.current().state), fold.current()};
  return start;
}

template <class Message>
void RequireTravels(const Message& message, const char* what) {
  Message back;
  Require(back.ParseFromString(message.SerializeAsString()), "an answer can be read", what);
}

void CheckName(const std::string& name) {
  const absl::StatusOr<std::string> id = ModelIdOf(name);
  if (!id.ok()) return RequireTold(id.status());
  Require(ModelNameOf(*id) == name, "a name is that of its id", name);
}

void CheckModelId(const std::string& id) {
  if (absl::Status status = CheckModelName(id); !status.ok()) RequireTold(status);
}

bool SameBatch(const Batch& a, const Batch& b) {
  const auto same = [](const Matrix& x, const Matrix& y) {
    return x.rows() == y.rows() && x.cols() == y.cols() &&
           (x.size() == 0 ||
            std::memcmp(x.data(), y.data(), static_cast<std::size_t>(x.size()) * 8) == 0);
  };
  return same(a.inputs, b.inputs) && same(a.targets, b.targets) && a.text == b.text &&
         a.labels == b.labels;
}

// As ModelActor does.
void Learn(const std::string& name, const v1::Batch& batch, const absl::StatusOr<Origin>& origin,
           const std::shared_ptr<const Learner>& learner) {
  CheckName(name);
  if (!origin.ok()) return RequireTold(origin.status());
  absl::StatusOr<Delivery> delivery = DeliveryFromProto(batch, *origin, kMaxRows, TimePoint::max());
  if (!delivery.ok()) return RequireTold(delivery.status());
  const Start& start = StartOf(learner);
  ModelFold fold(learner, {.current = start.published});
  const ModelCost cost = ModelCost::Of(learner->config()).value();
  absl::Status status = TakeIn(*delivery, *learner, cost, EngineOptions());
  if (const auto* refusal = std::get_if<Refusal>(&delivery->record)) status = refusal->status;
  if (status.ok()) {
    const Minibatch& minibatch = std::get<Minibatch>(delivery->record);
    const absl::StatusOr<Batch> logged = wire::BatchFromBytes(minibatch.payload);
    Require(logged.ok() && SameBatch(*logged, minibatch.batch), "the log holds what is learned");
    const absl::StatusOr<Learned> learned =
        fuzz::Learn(fold, *origin, minibatch.batch, FuzzScratch());
    status = learned.status();
    LearnOutcome outcome{.revision = fold.current().revision};
    if (learned.ok()) outcome.learned = *learned;
    v1::LearnResponse response;
    LearnedToProto(outcome, &response);
    RequireTravels(response, "LearnResponse");
  }
  const std::string after = learner->EncodeState(*fold.current().state);
  if (!status.ok()) {
    RequireTold(status);
    Require(after == start.bytes, "an error leaves the state as it was", status.ToString());
    return;
  }
  const absl::Status read = learner->DecodeState(after).status();
  Require(read.ok(), "what was learned can be read again", read.ToString());
  v1::GetEvaluationResponse evaluation;
  wire::EvaluationToProto(*learner, *fold.current().state, &evaluation);
  RequireTravels(evaluation, "GetEvaluationResponse");
  v1::Model model;
  wire::LearnerToProto(*learner, fold.current().state.get(), &model);
  RequireTravels(model, "Model");
}

template <class Request>
void LearnFrom(const Request& request, const std::shared_ptr<const Learner>& learner) {
  Learn(request.name(), request.batch(),
        OriginFromProto(request.request_id(), request.producer(), request.sequence()), learner);
}

void Predict(const std::string& name, const v1::Batch& proto, const v1::PredictOptions& query,
             const std::shared_ptr<const Learner>& learner) {
  CheckName(name);
  const absl::StatusOr<Batch> batch = wire::BatchFromProto(proto, kMaxRows);
  if (!batch.ok()) return RequireTold(batch.status());
  const absl::StatusOr<PredictOptions> options = wire::PredictOptionsFromProto(query);
  if (!options.ok()) return RequireTold(options.status());
  EngineOptions limits;
  limits.max_answer_bytes = kMaxAnswerBytes;
  const ModelCost cost = ModelCost::Of(learner->config()).value();
  const absl::StatusOr<Question> question =
      MakeQuestion(nullptr, learner, cost, *options, RowsIn(proto, kMaxRows), limits);
  if (!question.ok()) return RequireTold(question.status());
  if (absl::Status status = CheckAsked(*question, *batch, limits); !status.ok()) {
    return RequireTold(status);
  }
  if (options->samples > kMaxSamples) return;
  const absl::StatusOr<PredictOutcome> outcome =
      AnswerFrom(StartOf(learner).published, *question, cost, *batch, {}, FuzzScratch());
  if (!outcome.ok()) return RequireTold(outcome.status());
  if (outcome->scored.has_value()) {
    v1::PredictResponse scores;
    wire::ScoredToProto(*outcome->scored, scores.mutable_scores());
    return RequireTravels(scores, "PredictResponse");
  }
  const Answer* answer = &outcome->predictions;
  if (const Output* p = answer->Find("probabilities")) {
    Require(p->values.minCoeff() >= 0 && p->values.maxCoeff() <= 1 + 1e-9,
            "probabilities lie in [0, 1]");
  }
  v1::PredictResponse response;
  wire::AnswerToProto(*answer, response.mutable_predictions());
  RequireTravels(response, "PredictResponse");
}

void ImportPiece(const v1::ImportModelRequest& request) {
  if (!request.model_id().empty()) CheckModelId(request.model_id());
  ModelFileReader reader(1 << 16);
  if (absl::Status status = reader.Add(request.data()); !status.ok()) RequireTold(status);
}

// Calls `use` with the message that the bytes hold, if they hold one.
template <class Message, class Use>
void Parsed(std::string_view bytes, const Use& use) {
  Message message;
  if (message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) use(message);
}

template <class Message>
void Named(std::string_view bytes) {
  Parsed<Message>(bytes, [](const Message& message) { CheckName(message.name()); });
}

void RunModelService(unsigned method, std::string_view bytes) {
  switch (method) {
    case 0:
      return Parsed<v1::CreateModelRequest>(bytes, [](const v1::CreateModelRequest& request) {
        CheckModelId(request.model_id());
        CheckConfig(request.config());
      });
    case 1:
      return Named<v1::GetModelRequest>(bytes);
    case 2:
      return Parsed<v1::ListModelsRequest>(bytes, [](const v1::ListModelsRequest& request) {
        const absl::StatusOr<std::string> after = NameBeforePage(request.page_token());
        if (!after.ok()) return RequireTold(after.status());
        Require(*NameBeforePage(PageTokenAfter(*after)) == *after, "a token is that of its name");
      });
    case 3:
      return Named<v1::DeleteModelRequest>(bytes);
    case 4:
      return Named<v1::ListRevisionsRequest>(bytes);
    case 5:
      return Named<v1::RollbackModelRequest>(bytes);
    case 6:
      return Parsed<v1::ForkModelRequest>(bytes, [](const v1::ForkModelRequest& request) {
        CheckName(request.name());
        CheckModelId(request.model_id());
        CheckConfig(request.config());
      });
    case 7:
      return Named<v1::ExportModelRequest>(bytes);
    case 8:
      return Parsed<v1::ImportModelRequest>(bytes, ImportPiece);
    default:
      return Named<v1::CreateSnapshotRequest>(bytes);
  }
}

void RunLearningService(unsigned method, std::string_view bytes,
                        const std::shared_ptr<const Learner>& learner) {
  switch (method) {
    case 0:
      return Parsed<v1::LearnRequest>(
          bytes, [&](const v1::LearnRequest& request) { LearnFrom(request, learner); });
    case 1:
      return Parsed<v1::LearnStreamRequest>(bytes, [&](const v1::LearnStreamRequest& request) {
        const std::string producer = request.sequence() == 0 ? "" : "p";
        Learn(request.name(), request.batch(), OriginFromProto("", producer, request.sequence()),
              learner);
      });
    case 2:
      return Parsed<v1::PredictRequest>(bytes, [&](const v1::PredictRequest& request) {
        Predict(request.name(), request.batch(), request.options(), learner);
      });
    case 3:
      return Parsed<v1::PredictThenLearnRequest>(
          bytes, [&](const v1::PredictThenLearnRequest& request) {
            Predict(request.name(), request.batch(), request.options(), learner);
            LearnFrom(request, learner);
          });
    case 4:
      return Named<v1::WatchEvaluationRequest>(bytes);
    default:
      return Named<v1::GetEvaluationRequest>(bytes);
  }
}

void Run(FuzzInput input) {
  constexpr unsigned kModelMethods = 10, kLearningMethods = 6;
  const unsigned method = input.Byte() % (kModelMethods + kLearningMethods);
  const std::shared_ptr<const Learner>& learner = LearnerOf(input.Byte());
  if (method < kModelMethods) return RunModelService(method, input.Rest());
  RunLearningService(method - kModelMethods, input.Rest(), learner);
}

}  // namespace
}  // namespace prequel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  prequel::fuzz::Run({data, size});
  return 0;
}
