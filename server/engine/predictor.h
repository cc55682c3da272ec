// Predictions for whoever faces clients, bounded by the size of their answer: a small request may
// ask for a very large one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/learner/learner.h"
#include "core/predictive/query_set.h"
#include "server/engine/engine.h"
#include "server/engine/learn.h"
#include "server/engine/still_wanted.h"

namespace prequel {

// INVALID_ARGUMENT for "batch" when the numbers that `rows` examples are answered with would take
// more than `max_bytes`.
absl::Status CheckAnswerSize(const QuerySet& queries, Index rows, std::int64_t max_bytes);

// A request of more takes long to be read, whatever it asks.
inline constexpr std::size_t kLongBytes = 1 << 20;

// Thread-safe. Asks the engine only what CheckAnswerSize lets through.
class Predictor {
 public:
  // `engine` outlives this.
  Predictor(Engine& engine, std::int64_t max_answer_bytes)
      : engine_(engine), max_answer_bytes_(max_answer_bytes) {}

  // Engine::Predict.
  absl::StatusOr<PredictOutcome> Predict(std::string_view model, const Batch& batch,
                                         const PredictOptions& options,
                                         std::optional<std::int64_t> revision = std::nullopt,
                                         const StillWanted& wanted = {},
                                         const StillWanted& proceed = {}) const;

  // Whether that takes long (engine/work.h), by estimate, for so many rows of the newest state.
  // What would fail does not, nor does what a model is asked that does not serve yet.
  bool TakesLong(std::string_view model, Index rows, const PredictOptions& options) const;

  // Bytes of the numbers that such an answer has; errors as Predict's.
  absl::StatusOr<std::int64_t> AnswerBytes(std::string_view model, Index rows,
                                           const PredictOptions& options) const;

  // Engine::Submit of a minibatch that is to be predicted, too. One that is not let through uses up
  // no number.
  void PredictThenLearn(std::string_view model, LearnRequest request, const PredictOptions& options,
                        LearnCallback done) const;

 private:
  // The options as queries of the model, if the answer to them for a batch of `rows` is small
  // enough.
  absl::StatusOr<QuerySet> Ask(std::string_view model, Index rows,
                               const PredictOptions& options) const;

  Engine& engine_;
  const std::int64_t max_answer_bytes_;
};

}  // namespace prequel
