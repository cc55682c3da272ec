#include "server/rpc/answer_for.h"

namespace prequel {

absl::StatusOr<PredictOutcome> AnswerFor(const Call& call, const Engine& engine,
                                         const Question& question, const Batch& batch,
                                         std::optional<std::int64_t> revision,
                                         const StillWanted& proceed) {
  absl::Status status = call.TakeMemory(kCopiesOfAnswer * question.bytes);
  if (!status.ok()) return status;
  absl::StatusOr<PredictOutcome> outcome =
      engine.Answer(question, batch, revision, call.wanted(), proceed);
  if (outcome.ok()) call.CountRows(batch.rows());
  return outcome;
}

}  // namespace prequel
