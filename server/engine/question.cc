#include "server/engine/question.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/config/field_error.h"
#include "core/predictive/pieces.h"
#include "server/engine/records/minibatch.h"

namespace prequel {
namespace {

absl::Status CheckBytes(std::int64_t bytes, Index rows, const EngineOptions& limits) {
  if (bytes <= limits.max_answer_bytes) return absl::OkStatus();
  return FieldError("batch", absl::StrCat("the predictive of ", rows, " rows would take ", bytes,
                                          " bytes, the limit is ", limits.max_answer_bytes,
                                          ": ask for fewer rows at a time"));
}

Pieces PiecesOf(const ModelCost& cost, const QuerySet& queries, const StillWanted& proceed) {
  constexpr double kSeconds = 0.05, kMostRows = 256;
  // Each piece draws anew, for all its rows: the fewer pieces, the fewer draws. They need not be
  // shorter than the preparation, which nothing interrupts.
  const double seconds = std::max(kSeconds, SecondsToPrepare(cost, queries));
  const double rows = seconds / SecondsOfRows(cost, 1, queries);
  return {.rows = static_cast<Index>(std::clamp(rows, 1.0, kMostRows)), .proceed = proceed};
}

}  // namespace

absl::StatusOr<Question> MakeQuestion(std::shared_ptr<ModelActor> model,
                                      std::shared_ptr<const Learner> learner, const ModelCost& cost,
                                      const PredictOptions& options, const RowsAsked& rows,
                                      const EngineOptions& limits) {
  const absl::StatusOr<QuerySet> queries = learner->Ask(options);
  if (!queries.ok()) return queries.status();
  const std::int64_t bytes =
      static_cast<std::int64_t>(sizeof(double)) * rows.count * queries->numbers_per_example();
  absl::Status status = CheckBytes(bytes, rows.count, limits);
  if (status.ok()) status = learner->CheckAnswer(rows.count, *queries);
  const double seconds = SecondsToAnswer(cost, rows.count, *queries, rows.timed);
  if (status.ok()) status = CheckQueryTime(seconds, rows.count, limits.max_query_seconds);
  if (!status.ok()) return status;
  return Question{.model = std::move(model),
                  .learner = std::move(learner),
                  .queries = *queries,
                  .rows = rows,
                  .bytes = bytes,
                  .seconds = seconds};
}

absl::Status CheckAsked(const Question& question, const Batch& batch, const EngineOptions& limits) {
  if (absl::Status status = CheckRows(batch, limits); !status.ok()) return status;
  if (batch.rows() > question.rows.count) {
    return FieldError("batch", absl::StrCat("has ", batch.rows(), " rows; it was said to have ",
                                            question.rows.count));
  }
  if (batch.times.size() > 0 && !question.rows.timed) {
    return FieldError("batch.times", "are there, and were said not to be");
  }
  absl::Status status = question.learner->CheckInputs(batch);
  if (status.ok() && question.queries.scores()) status = question.learner->CheckTargets(batch);
  return status;
}

absl::StatusOr<PredictOutcome> AnswerFrom(const Published& state, const Question& question,
                                          const ModelCost& cost, const Batch& batch,
                                          const StillWanted& proceed, Scratch& scratch) {
  const Learner& learner = *question.learner;
  PredictOutcome outcome{.revision = state.revision, .predictions = {}, .scored = {}};
  const Pieces pieces = PiecesOf(cost, question.queries, proceed);
  if (question.queries.scores()) {
    absl::StatusOr<Scored> scored =
        learner.Score(*state.state, batch, question.queries, scratch, pieces);
    if (!scored.ok()) return scored.status();
    outcome.scored = *std::move(scored);
    return outcome;
  }
  absl::StatusOr<Answer> predictions =
      learner.Predict(*state.state, batch, question.queries, scratch, pieces);
  if (!predictions.ok()) return predictions.status();
  outcome.predictions = *std::move(predictions);
  return outcome;
}

}  // namespace prequel
