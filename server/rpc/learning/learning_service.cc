#include "server/rpc/learning/learning_service.h"

#include <memory>
#include <string>
#include <utility>

#include "server/rpc/answer_for.h"
#include "server/rpc/call.h"
#include "server/rpc/learning/learn_call.h"
#include "server/rpc/learning/revision_wait.h"
#include "server/rpc/models/model_answer.h"
#include "server/rpc/resource_name.h"
#include "server/wire/batch_message.h"
#include "server/wire/error_message.h"
#include "server/wire/evaluation_message.h"
#include "server/wire/prediction_message.h"

namespace prequel {

LearningServiceImpl::LearningServiceImpl(Engine& engine, const CallPools& pools, CallParts parts,
                                         const LearningOptions& options)
    : engine_(engine),
      pools_(pools),
      parts_(std::move(parts)),
      options_(options),
      watch_parts_{engine_, watches_, parts_,
                   std::chrono::nanoseconds(static_cast<std::int64_t>(1e9 / options.watch_rate))} {
  SetMessageAllocatorFor_Learn(&learn_);
  SetMessageAllocatorFor_Predict(&predict_);
  SetMessageAllocatorFor_PredictThenLearn(&predict_then_learn_);
  SetMessageAllocatorFor_GetEvaluation(&get_evaluation_);
}

template <class Request>
absl::StatusOr<Delivery> LearningServiceImpl::DeliveryOf(const Request& request,
                                                         TimePoint deadline) const {
  absl::StatusOr<Origin> origin =
      OriginFromProto(request.request_id(), request.producer(), request.sequence());
  if (!origin.ok()) return origin.status();
  return DeliveryFromProto(request.batch(), *std::move(origin), options_.max_batch_rows, deadline);
}

grpc::ServerUnaryReactor* LearningServiceImpl::Learn(grpc::CallbackServerContext* context,
                                                     const v1::LearnRequest* request,
                                                     v1::LearnResponse* response) {
  const UnaryCall call(context, "Learn", request->name(), request, response, parts_);
  if (call.Refused(RowsIn(request->batch(), options_.max_batch_rows).count)) return call.reactor();
  const absl::StatusOr<std::string> model = ModelIdOf(request->name());
  absl::StatusOr<Delivery> delivery =
      model.ok() ? DeliveryOf(*request, call.deadline()) : model.status();
  if (!delivery.ok()) {
    call.Finish(delivery.status());
    return call.reactor();
  }
  delivery->done = [call, response](const absl::StatusOr<LearnOutcome>& outcome) {
    if (outcome.ok()) {
      call.CountRows(RowsOf(*outcome));
      LearnedToProto(*outcome, response);
    }
    call.Finish(outcome.status());
  };
  engine_.Submit(*model, *std::move(delivery));
  return call.reactor();
}

grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* LearningServiceImpl::LearnStream(
    grpc::CallbackServerContext* context) {
  return new LearnStreamCall(context, engine_, streams_, parts_,
                             {options_.stream_window, options_.max_batch_rows});
}

grpc::ServerUnaryReactor* LearningServiceImpl::Predict(grpc::CallbackServerContext* context,
                                                       const v1::PredictRequest* request,
                                                       v1::PredictResponse* response) {
  // Only who waits for a revision is told when the client goes.
  const auto watch =
      request->min_revision() > 0 ? UnaryCall::Watch::kClient : UnaryCall::Watch::kNo;
  const UnaryCall call(context, "Predict", request->name(), request, response, parts_, watch);
  if (call.Refused(RowsIn(request->batch(), options_.max_batch_rows).count)) return call.reactor();
  const auto predict = [this, call, request, response] {
    const absl::StatusOr<Question> question = Ask(*request);
    if (!question.ok()) return call.Finish(question.status());
    const bool takes_long = question->takes_long() || request->ByteSizeLong() > kLongBytes;
    pools_.For(request->has_revision(), takes_long)
        .Run(call, CallPool::Work([this, call, request, question = *question,
                                   response](const StillWanted& proceed) {
               return Answer(call, *request, question, response, proceed);
             }));
  };
  const absl::StatusOr<std::string> model = ModelIdOf(request->name());
  if (model.ok() && request->min_revision() > 0) {
    AwaitRevision(engine_, call, *model, request->min_revision(), predict);
  } else {
    predict();
  }
  return call.reactor();
}

grpc::ServerUnaryReactor* LearningServiceImpl::PredictThenLearn(
    grpc::CallbackServerContext* context, const v1::PredictThenLearnRequest* request,
    v1::PredictThenLearnResponse* response) {
  const UnaryCall call(context, "PredictThenLearn", request->name(), request, response, parts_);
  if (call.Refused(RowsIn(request->batch(), options_.max_batch_rows).count)) return call.reactor();
  absl::StatusOr<Delivery> delivery = DeliveryOf(*request, call.deadline());
  // The question is made before anything is logged: what has been learned must be answered, however
  // large the answer is.
  const absl::StatusOr<Question> question =
      delivery.ok() ? Ask(call, *request, delivery->record) : delivery.status();
  if (!question.ok()) {
    call.Finish(question.status());
    return call.reactor();
  }
  delivery->done = [call, response,
                    bytes = question->bytes](const absl::StatusOr<LearnOutcome>& outcome) {
    call.CountMemory(-kCopiesOfAnswer * bytes);  // Finish counts what it has become
    if (outcome.ok()) {
      call.CountRows(RowsOf(*outcome));
      LearnedToProto(*outcome, response);
      wire::AnswerToProto(outcome->predictions, response->mutable_predictions());
    }
    call.Finish(outcome.status());
  };
  engine_.Submit(*question, *std::move(delivery));
  return call.reactor();
}

absl::StatusOr<Question> LearningServiceImpl::Ask(const Call& call,
                                                  const v1::PredictThenLearnRequest& request,
                                                  const Record& record) const {
  const absl::StatusOr<std::string> model = ModelIdOf(request.name());
  if (!model.ok()) return model.status();
  const absl::StatusOr<PredictOptions> options = wire::PredictOptionsFromProto(request.options());
  if (!options.ok()) return options.status();
  if (options->scores) {
    return FieldError("options.scores",
                      "must be left out: a minibatch that is learned is scored anyway");
  }
  absl::StatusOr<Question> question = engine_.Ask(
      *model, *options, {.count = RowsIn(record), .timed = request.batch().has_times()});
  if (!question.ok()) return question;
  absl::Status status = call.TakeMemory(kCopiesOfAnswer * question->bytes);
  if (!status.ok()) return status;
  return question;
}

grpc::ServerUnaryReactor* LearningServiceImpl::GetEvaluation(
    grpc::CallbackServerContext* context, const v1::GetEvaluationRequest* request,
    v1::GetEvaluationResponse* response) {
  const UnaryCall call(context, "GetEvaluation", request->name(), request, response, parts_);
  if (call.Refused()) return call.reactor();
  call.Finish(Evaluate(*request, response));
  return call.reactor();
}

grpc::ServerWriteReactor<v1::GetEvaluationResponse>* LearningServiceImpl::WatchEvaluation(
    grpc::CallbackServerContext* context, const v1::WatchEvaluationRequest* request) {
  return WatchCall::Start(context, *request, watch_parts_);
}

absl::StatusOr<Question> LearningServiceImpl::Ask(const v1::PredictRequest& request) const {
  const absl::StatusOr<std::string> model = ModelIdOf(request.name());
  if (!model.ok()) return model.status();
  const absl::StatusOr<PredictOptions> options = wire::PredictOptionsFromProto(request.options());
  if (!options.ok()) return options.status();
  return engine_.Ask(*model, *options, RowsIn(request.batch(), options_.max_batch_rows));
}

absl::Status LearningServiceImpl::Answer(const UnaryCall& call, const v1::PredictRequest& request,
                                         const Question& question, v1::PredictResponse* response,
                                         const StillWanted& proceed) const {
  const absl::StatusOr<Batch> batch =
      wire::BatchFromProto(request.batch(), options_.max_batch_rows);
  if (!batch.ok()) return batch.status();
  const absl::StatusOr<PredictOutcome> outcome =
      AnswerFor(call, engine_, question, *batch, RevisionOf(request), proceed);
  if (!outcome.ok()) return outcome.status();
  response->set_revision(outcome->revision);
  if (outcome->scored.has_value()) {
    wire::ScoredToProto(*outcome->scored, response->mutable_scores());
  } else {
    wire::AnswerToProto(outcome->predictions, response->mutable_predictions());
  }
  call.CountMemory(-kCopiesOfAnswer * question.bytes);
  return absl::OkStatus();
}

absl::Status LearningServiceImpl::Evaluate(const v1::GetEvaluationRequest& request,
                                           v1::GetEvaluationResponse* response) const {
  const absl::StatusOr<std::string> model = ModelIdOf(request.name());
  if (!model.ok()) return model.status();
  return EvaluationOf(engine_, *model, response);
}

}  // namespace prequel
