#include "server/inference/inference_face.h"

#include "absl/strings/str_cat.h"
#include "core/config/error.h"
#include "server/inference/infer_batch.h"
#include "server/inference/metadata.h"
#include "server/rpc/learning/revision_wait.h"

namespace prequel {
namespace {

absl::Status CheckNamed(const std::string& field, const std::string& name) {
  return name.empty() ? FieldError(field, "must name a model") : absl::OkStatus();
}

}  // namespace

void InferenceFace::ServerMetadata(inference::ServerMetadataResponse* response) const {
  response->set_name("prequel");
  response->set_version(options_.version);
  response->add_extensions("binary_tensor_data");
}

absl::StatusOr<InferenceFace::Found> InferenceFace::Find(const std::string& name,
                                                         const std::string& version) const {
  absl::Status named = CheckNamed("name", name);
  if (!named.ok()) return named;
  const auto revision = RevisionOf(version);
  if (!revision.ok()) return revision.status();
  absl::StatusOr<ModelInfo> info = engine_.GetModel(name);
  if (!info.ok()) return info.status();
  return Found{*std::move(info), *revision};
}

absl::Status InferenceFace::ModelReady(const inference::ModelReadyRequest& request,
                                       inference::ModelReadyResponse* response) const {
  const absl::StatusOr<Found> found = Find(request.name(), request.version());
  if (!found.ok()) return found.status();
  const std::int64_t newest = found->info.published.revision;
  response->set_ready(found->info.problem.ok() && found->revision.value_or(newest) <= newest);
  return absl::OkStatus();
}

absl::Status InferenceFace::ModelMetadata(const inference::ModelMetadataRequest& request,
                                          inference::ModelMetadataResponse* response) const {
  const absl::StatusOr<Found> found = Find(request.name(), request.version());
  if (!found.ok()) return found.status();
  const ModelInfo& info = found->info;
  if (info.learner == nullptr) return info.problem;
  const std::int64_t newest = info.published.revision;
  if (found->revision.value_or(newest) > newest) {
    return absl::NotFoundError(absl::StrCat(request.name(), " has no version ", *found->revision,
                                            ": its newest revision is ", newest));
  }
  response->set_name(request.name());
  response->add_versions(absl::StrCat(info.published.revision));
  return DescribeModel(*info.learner, response);
}

void InferenceFace::Infer(const Call& call, const inference::ModelInferRequest* request,
                          Contents contents, inference::ModelInferResponse* response,
                          const Done& done, const UnaryCall* watched) const {
  if (absl::Status named = CheckNamed("model_name", request->model_name()); !named.ok()) {
    return done(named);
  }
  const absl::StatusOr<Moment> moment = MomentOf(*request);
  if (!moment.ok()) return done(moment.status());
  auto infer = [this, call, request, contents, response, revision = moment->revision, done] {
    CallPool& pool = pools_.For(revision.has_value(), TakesLong(*request));
    pool.Run(
        call.who(), call.wanted(),
        [this, call, request, contents, response, revision](const StillWanted& proceed) {
          return InferNow(call, *request, revision, contents, response, proceed);
        },
        done);
  };
  if (moment->min_revision == 0) return infer();
  if (watched != nullptr) {
    return AwaitRevision(engine_, *watched, request->model_name(), moment->min_revision,
                         std::move(infer));
  }
  AwaitRevision(
      engine_, call.deadline(), request->model_name(), moment->min_revision,
      [infer, done](const absl::Status& status) { status.ok() ? infer() : done(status); });
}

bool InferenceFace::TakesLong(const inference::ModelInferRequest& request) const {
  if (request.ByteSizeLong() > kLongBytes) return true;
  const absl::StatusOr<ModelInfo> info = engine_.GetModel(request.model_name());
  if (!info.ok() || info->learner == nullptr) return false;
  const absl::StatusOr<PredictOptions> question = QuestionOf(request, *info->learner);
  return question.ok() && predictor_.TakesLong(request.model_name(),
                                               RowsIn(request, options_.max_batch_rows), *question);
}

absl::Status InferenceFace::InferNow(const Call& call, const inference::ModelInferRequest& request,
                                     std::optional<std::int64_t> revision, Contents contents,
                                     inference::ModelInferResponse* response,
                                     const StillWanted& proceed) const {
  const absl::StatusOr<ModelInfo> info = engine_.GetModel(request.model_name());
  if (!info.ok()) return info.status();
  if (info->learner == nullptr) return info->problem;
  const absl::StatusOr<Batch> batch =
      BatchFromInfer(request, info->learner->config().features, options_.max_batch_rows);
  if (!batch.ok()) return batch.status();
  const absl::StatusOr<PredictOptions> question = QuestionOf(request, *info->learner);
  if (!question.ok()) return question.status();
  const absl::StatusOr<std::int64_t> numbers =
      predictor_.AnswerBytes(request.model_name(), batch->rows(), *question);
  if (!numbers.ok()) return numbers.status();
  // Until it is a message, which whoever finishes the call counts.
  const std::int64_t bytes = kCopiesOfAnswer * *numbers;
  if (absl::Status status = call.TakeMemory(bytes); !status.ok()) return status;
  const absl::StatusOr<PredictOutcome> outcome =
      predictor_.Predict(request.model_name(), *batch, *question, revision, call.wanted(), proceed);
  if (!outcome.ok()) return outcome.status();
  call.CountRows(batch->rows());
  AnswerToInfer(*outcome, request, contents, response);
  call.CountMemory(-bytes);
  return absl::OkStatus();
}

}  // namespace prequel
