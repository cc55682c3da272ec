#include "server/engine/predictor.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/config/error.h"
#include "server/engine/work.h"

namespace prequel {
absl::Status CheckAnswerSize(const QuerySet& queries, Index rows, std::int64_t max_bytes) {
  const double bytes =
      8 * static_cast<double>(rows) * static_cast<double>(queries.numbers_per_example());
  if (bytes <= static_cast<double>(max_bytes)) return absl::OkStatus();
  return FieldError("batch", absl::StrCat("the predictive of ", rows, " rows would take ",
                                          static_cast<std::int64_t>(bytes), " bytes, the limit is ",
                                          max_bytes, ": ask for fewer rows at a time"));
}

absl::StatusOr<PredictOutcome> Predictor::Predict(std::string_view model, const Batch& batch,
                                                  const PredictOptions& options,
                                                  std::optional<std::int64_t> revision,
                                                  const StillWanted& wanted,
                                                  const StillWanted& proceed) const {
  const absl::StatusOr<QuerySet> queries = Ask(model, batch.rows(), options);
  if (!queries.ok()) return queries.status();
  return engine_.Predict(model, batch, *queries, revision, wanted, proceed);
}

bool Predictor::TakesLong(std::string_view model, Index rows, const PredictOptions& options) const {
  const absl::StatusOr<QuerySet> queries = Ask(model, rows, options);
  return queries.ok() && engine_.SecondsToPredict(model, rows, *queries) > kLongSeconds;
}

absl::StatusOr<std::int64_t> Predictor::AnswerBytes(std::string_view model, Index rows,
                                                    const PredictOptions& options) const {
  const absl::StatusOr<QuerySet> queries = Ask(model, rows, options);
  if (!queries.ok()) return queries.status();
  return static_cast<std::int64_t>(sizeof(double)) * rows * queries->numbers_per_example();
}

void Predictor::PredictThenLearn(std::string_view model, LearnRequest request,
                                 const PredictOptions& options, LearnCallback done) const {
  if (options.scores) {
    return done(FieldError("options.scores",
                           "must be left out: a minibatch that is learned is scored anyway"));
  }
  absl::StatusOr<QuerySet> queries = Ask(model, request.batch.rows(), options);
  if (!queries.ok()) return done(queries.status());
  request.predict = *std::move(queries);
  engine_.Submit(model, std::move(request), std::move(done));
}

absl::StatusOr<QuerySet> Predictor::Ask(std::string_view model, Index rows,
                                        const PredictOptions& options) const {
  const absl::StatusOr<ModelInfo> info = engine_.GetModel(model);
  if (!info.ok()) return info.status();
  if (info->learner == nullptr) return info->problem;
  absl::StatusOr<QuerySet> queries = info->learner->Ask(options);
  if (!queries.ok()) return queries;
  absl::Status status = CheckAnswerSize(*queries, rows, max_answer_bytes_);
  if (status.ok()) status = info->learner->CheckAnswer(rows, *queries);
  if (!status.ok()) return status;
  return queries;
}

}  // namespace prequel
