#include "server/engine/records/minibatch.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/config/field_error.h"
#include "server/engine/work.h"

namespace prequel {

absl::Status CheckRows(const Batch& batch, const EngineOptions& limits) {
  if (batch.rows() <= limits.max_batch_rows) return absl::OkStatus();
  return FieldError("batch", absl::StrCat("has ", batch.rows(), " rows; at most ",
                                          limits.max_batch_rows, " are taken"));
}

absl::StatusOr<Minibatch> Minibatch::Decode(std::string_view payload, const Codec& codec,
                                            const Learner& learner) {
  absl::StatusOr<Batch> batch = codec.DecodeBatch(payload);
  if (!batch.ok()) return batch.status();
  if (absl::Status status = learner.CheckBatch(*batch); !status.ok()) return status;
  return Minibatch{.batch = *std::move(batch)};
}

absl::Status Minibatch::Check(const Learner& learner, const ModelCost& cost,
                              const EngineOptions& limits) const {
  if (absl::Status status = CheckRows(batch, limits); !status.ok()) return status;
  if (payload.size() > limits.max_batch_bytes) {
    return FieldError("batch", absl::StrCat("has ", payload.size(), " bytes; at most ",
                                            limits.max_batch_bytes, " are taken"));
  }
  if (absl::Status status = learner.CheckBatch(batch); !status.ok()) return status;
  if (absl::Status status = learner.CheckRoom(batch.rows()); !status.ok()) return status;
  return CheckUpdateTime(cost, batch.rows(), limits.max_update_seconds);
}

std::string Minibatch::Encode(const Learner& /*learner*/) { return std::move(payload); }

std::size_t Minibatch::memory() const {
  std::size_t strings = batch.labels.size();
  for (const std::vector<std::string>& column : batch.text) strings += column.size();
  return strings * sizeof(std::string) +
         static_cast<std::size_t>(batch.inputs.size() + batch.targets.size() + batch.times.size() +
                                  batch.weights.size()) *
             sizeof(double);
}

absl::StatusOr<Learned> Minibatch::Fold(ModelFold& fold, const Origin& origin,
                                        const Folding& folding) {
  std::shared_ptr<LearnerState> next = fold.TakeState();
  absl::StatusOr<Learned> learned = fold.learner()->Update(
      *fold.current().state, batch, folding.scratch, *next, folding.queries, folding.answer);
  if (!learned.ok()) next = nullptr;
  fold.Advance(origin, folding.time_us, learned, std::move(next));
  return learned;
}

void Minibatch::Tell(const EngineObservers& observers, std::string_view model,
                     EngineObserver::Duration duration, const absl::Status& status) const {
  observers.Tell(&EngineObserver::OnUpdate, model, batch.rows(), duration, status);
}

}  // namespace prequel
