#include "server/engine/asking.h"

#include <algorithm>
#include <utility>

#include "core/predictive/pieces.h"
#include "server/engine/work.h"

namespace prequel {
namespace {

Pieces PiecesOf(const ModelCost& cost, const QuerySet& queries, const StillWanted& proceed) {
  constexpr double kSeconds = 0.05, kMostRows = 256;
  // Each piece draws anew, for all its rows: the fewer pieces, the fewer draws. They need not be
  // shorter than the preparation, which nothing interrupts.
  const double seconds = std::max(kSeconds, SecondsToPrepare(cost, queries));
  const double rows = seconds / SecondsOfRows(cost, 1, queries);
  return {.rows = static_cast<Index>(std::clamp(rows, 1.0, kMostRows)), .proceed = proceed};
}

}  // namespace

absl::Status NotItsQueries() {
  return absl::UnavailableError("the model has changed since the queries were checked: ask again");
}

absl::Status CheckQuestion(const Learner& learner, const Batch& batch, const QuerySet& queries) {
  if (!learner.CanAnswer(queries)) return NotItsQueries();
  absl::Status status = learner.CheckInputs(batch);
  if (status.ok() && queries.scores()) status = learner.CheckTargets(batch);
  return status;
}

absl::StatusOr<PredictOutcome> AnswerQuestion(const Learner& learner, const ModelCost& cost,
                                              const Published& published, const Batch& batch,
                                              const QuerySet& queries, const StillWanted& proceed,
                                              Scratch& scratch) {
  PredictOutcome outcome{.revision = published.revision, .predictions = {}, .scored = {}};
  const Pieces pieces = PiecesOf(cost, queries, proceed);
  if (queries.scores()) {
    absl::StatusOr<Scored> scored =
        learner.Score(*published.state, batch, queries, scratch, pieces);
    if (!scored.ok()) return scored.status();
    outcome.scored = *std::move(scored);
    return outcome;
  }
  absl::StatusOr<Answer> predictions =
      learner.Predict(*published.state, batch, queries, scratch, pieces);
  if (!predictions.ok()) return predictions.status();
  outcome.predictions = *std::move(predictions);
  return outcome;
}

}  // namespace prequel
