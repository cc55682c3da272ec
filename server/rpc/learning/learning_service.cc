#include "server/rpc/learning/learning_service.h"

#include <memory>
#include <string>
#include <utility>

#include "server/rpc/call.h"
#include "server/rpc/learning/learn_call.h"
#include "server/rpc/learning/revision_wait.h"
#include "server/rpc/models/model_answer.h"
#include "server/rpc/resource_name.h"
#include "server/wire/batch.h"
#include "server/wire/evaluation.h"
#include "server/wire/prediction.h"

namespace prequel {

LearningServiceImpl::LearningServiceImpl(Engine& engine, const CallPools& pools, CallParts parts,
                                         const LearningOptions& options)
    : engine_(engine),
      predictor_(engine, options.max_answer_bytes),
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
absl::StatusOr<Submission> LearningServiceImpl::SubmissionOf(const Request& request,
                                                             TimePoint deadline) const {
  absl::StatusOr<Origin> origin =
      OriginFromProto(request.request_id(), request.producer(), request.sequence());
  if (!origin.ok()) return origin.status();
  return SubmissionFromProto(request.name(), request.batch(), *std::move(origin),
                             options_.max_batch_rows, deadline);
}

grpc::ServerUnaryReactor* LearningServiceImpl::Learn(grpc::CallbackServerContext* context,
                                                     const v1::LearnRequest* request,
                                                     v1::LearnResponse* response) {
  const UnaryCall call(context, "Learn", request->name(), request, response, parts_);
  if (call.Refused(RowsIn(request->batch(), options_.max_batch_rows))) return call.reactor();
  absl::StatusOr<Submission> submission = SubmissionOf(*request, call.deadline());
  if (!submission.ok()) {
    call.Finish(submission.status());
    return call.reactor();
  }
  engine_.Submit(submission->model, std::move(submission->request),
                 [call, response](absl::StatusOr<LearnOutcome> outcome) {
                   if (outcome.ok()) {
                     call.CountRows(RowsOf(*outcome));
                     LearnedToProto(*outcome, response);
                   }
                   call.Finish(outcome.status());
                 });
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
  if (call.Refused(RowsIn(request->batch(), options_.max_batch_rows))) return call.reactor();
  const auto predict = [this, call, request, response] {
    CallPool& pool = pools_.For(request->has_revision(), TakesLong(*request));
    pool.Run(call, CallPool::Work([this, call, request, response](const StillWanted& proceed) {
               return PredictNow(call, *request, response, proceed);
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
  if (call.Refused(RowsIn(request->batch(), options_.max_batch_rows))) return call.reactor();
  absl::StatusOr<Submission> submission = SubmissionOf(*request, call.deadline());
  absl::StatusOr<PredictOptions> query =
      submission.ok() ? wire::PredictOptionsFromProto(request->options()) : submission.status();
  if (!query.ok()) {
    call.Finish(query.status());
    return call.reactor();
  }
  // Before anything is logged: what has been learned must be answered, however large that is.
  const absl::StatusOr<std::int64_t> bytes = TakeAnswer(call, *submission, *query);
  if (!bytes.ok()) {
    call.Finish(bytes.status());
    return call.reactor();
  }
  predictor_.PredictThenLearn(
      submission->model, std::move(submission->request), *query,
      [call, response, bytes = *bytes](absl::StatusOr<LearnOutcome> outcome) {
        call.CountMemory(-bytes);  // Finish counts what it has become
        if (outcome.ok()) {
          call.CountRows(RowsOf(*outcome));
          LearnedToProto(*outcome, response);
          wire::AnswerToProto(outcome->predictions, response->mutable_predictions());
        }
        call.Finish(outcome.status());
      });
  return call.reactor();
}

absl::StatusOr<std::int64_t> LearningServiceImpl::TakeAnswer(const Call& call,
                                                             const Submission& submission,
                                                             const PredictOptions& query) const {
  absl::StatusOr<std::int64_t> numbers =
      predictor_.AnswerBytes(submission.model, submission.request.batch.rows(), query);
  if (!numbers.ok()) return numbers;
  const std::int64_t bytes = kCopiesOfAnswer * *numbers;
  absl::Status status = call.TakeMemory(bytes);
  if (!status.ok()) return status;
  return bytes;
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

bool LearningServiceImpl::TakesLong(const v1::PredictRequest& request) const {
  if (request.ByteSizeLong() > kLongBytes) return true;
  const absl::StatusOr<std::string> model = ModelIdOf(request.name());
  const absl::StatusOr<PredictOptions> options = wire::PredictOptionsFromProto(request.options());
  return model.ok() && options.ok() &&
         predictor_.TakesLong(*model, RowsIn(request.batch(), options_.max_batch_rows), *options);
}

absl::Status LearningServiceImpl::PredictNow(const UnaryCall& call,
                                             const v1::PredictRequest& request,
                                             v1::PredictResponse* response,
                                             const StillWanted& proceed) const {
  const absl::StatusOr<std::string> model = ModelIdOf(request.name());
  if (!model.ok()) return model.status();
  const absl::StatusOr<Batch> batch =
      wire::BatchFromProto(request.batch(), options_.max_batch_rows);
  if (!batch.ok()) return batch.status();
  const absl::StatusOr<PredictOptions> options = wire::PredictOptionsFromProto(request.options());
  if (!options.ok()) return options.status();
  const absl::StatusOr<std::int64_t> numbers =
      predictor_.AnswerBytes(*model, batch->rows(), *options);
  if (!numbers.ok()) return numbers.status();
  // Until it is a message; from then on Finish counts it.
  const std::int64_t bytes = kCopiesOfAnswer * *numbers;
  if (absl::Status status = call.TakeMemory(bytes); !status.ok()) return status;
  const absl::StatusOr<PredictOutcome> outcome =
      predictor_.Predict(*model, *batch, *options, RevisionOf(request), call.wanted(), proceed);
  if (!outcome.ok()) return outcome.status();
  call.CountRows(batch->rows());
  response->set_revision(outcome->revision);
  if (outcome->scored.has_value()) {
    wire::ScoredToProto(*outcome->scored, response->mutable_scores());
  } else {
    wire::AnswerToProto(outcome->predictions, response->mutable_predictions());
  }
  call.CountMemory(-bytes);
  return absl::OkStatus();
}

absl::Status LearningServiceImpl::Evaluate(const v1::GetEvaluationRequest& request,
                                           v1::GetEvaluationResponse* response) const {
  const absl::StatusOr<std::string> model = ModelIdOf(request.name());
  if (!model.ok()) return model.status();
  return EvaluationOf(engine_, *model, response);
}

}  // namespace prequel
