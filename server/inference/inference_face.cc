#include "server/inference/inference_face.h"

#include "absl/strings/str_cat.h"
#include "core/config/field_error.h"
#include "server/inference/infer_batch.h"
#include "server/inference/metadata.h"
#include "server/rpc/answer_for.h"
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
    const absl::StatusOr<Question> question = Ask(*request);
    if (!question.ok()) return done(question.status());
    const bool takes_long = question->takes_long() || request->ByteSizeLong() > kLongBytes;
    pools_.For(revision.has_value(), takes_long)
        .Run(
            call.who(), call.wanted(),
            [this, call, request, question = *question, contents, response,
             revision](const StillWanted& proceed) {
              return Answer(call, *request, question, revision, contents, response, proceed);
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

absl::StatusOr<Question> InferenceFace::Ask(const inference::ModelInferRequest& request) const {
  return engine_.Ask(
      request.model_name(), [&](const Learner& learner) { return QuestionOf(request, learner); },
      RowsIn(request, options_.max_batch_rows));
}

absl::Status InferenceFace::Answer(const Call& call, const inference::ModelInferRequest& request,
                                   const Question& question, std::optional<std::int64_t> revision,
                                   Contents contents, inference::ModelInferResponse* response,
                                   const StillWanted& proceed) const {
  const absl::StatusOr<Batch> batch =
      BatchFromInfer(request, question.learner->config().features, options_.max_batch_rows);
  if (!batch.ok()) return batch.status();
  const absl::StatusOr<PredictOutcome> outcome =
      AnswerFor(call, engine_, question, *batch, revision, proceed);
  if (!outcome.ok()) return outcome.status();
  AnswerToInfer(*outcome, request, contents, response);
  call.CountMemory(-kCopiesOfAnswer * question.bytes);
  return absl::OkStatus();
}

}  // namespace prequel
