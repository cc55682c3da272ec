#include "server/engine/actor/intake.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/config/error.h"
#include "server/engine/asking.h"
#include "server/engine/work.h"

namespace prequel {
namespace {

absl::Status CheckContent(const LearnRequest& request, const Learner& learner,
                          const ModelCost& cost, const EngineOptions& limits) {
  if (absl::Status status = CheckRows(request.batch, limits); !status.ok()) return status;
  if (request.payload.size() > limits.max_batch_bytes) {
    return FieldError("batch", absl::StrCat("has ", request.payload.size(), " bytes; at most ",
                                            limits.max_batch_bytes, " are taken"));
  }
  if (absl::Status status = learner.CheckBatch(request.batch); !status.ok()) return status;
  if (absl::Status status = learner.CheckRoom(request.batch.rows()); !status.ok()) return status;
  return CheckUpdateTime(cost, request.batch.rows(), limits.max_update_seconds);
}

}  // namespace

absl::Status CheckRows(const Batch& batch, const EngineOptions& limits) {
  if (batch.rows() <= limits.max_batch_rows) return absl::OkStatus();
  return FieldError("batch", absl::StrCat("has ", batch.rows(), " rows; at most ",
                                          limits.max_batch_rows, " are taken"));
}

absl::StatusOr<Record> TakeIn(LearnRequest& request, const Learner& learner, const ModelCost& cost,
                              const EngineOptions& limits) {
  if (absl::Status status = CheckOrigin(request.origin); !status.ok()) return status;
  if (request.predict.has_value()) {
    if (!learner.CanAnswer(*request.predict)) return NotItsQueries();
    const absl::Status status =
        CheckQueryTime(cost, request.batch, *request.predict, limits.max_query_seconds);
    if (!status.ok()) return status;
  }
  absl::Status bad = request.refusal;
  if (bad.ok()) bad = CheckContent(request, learner, cost, limits);
  if (bad.ok()) {
    const bool timed = request.batch.times.size() > 0, weighed = request.batch.weights.size() > 0;
    Minibatch minibatch{std::move(request.batch), std::move(request.payload)};
    if (weighed) return WeighedMinibatch{std::move(minibatch)};
    if (timed) return TimedMinibatch{std::move(minibatch)};
    return minibatch;
  }
  if (request.origin.numbered() && absl::IsInvalidArgument(bad)) return Refusal{bad};
  return bad;
}

}  // namespace prequel
