// A question to a model, and the answer to it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/config/batch.h"
#include "core/learner/cost.h"
#include "core/learner/learner.h"
#include "core/predictive/answer.h"
#include "core/predictive/query_set.h"
#include "server/engine/engine_options.h"
#include "server/engine/fold/published.h"
#include "server/engine/still_wanted.h"
#include "server/engine/work.h"

namespace prequel {

class ModelActor;  // server/engine/actor/model_actor.h

// The rows of a batch, before anybody has looked whether it is whole: how many there are at most,
// and whether they may say when they happen.
struct RowsAsked {
  Index count = 0;
  bool timed = false;
};

// A Question is made by Engine::Ask, and is checked and bounded. It is of one model, whatever
// becomes of that model's name. Cheap to copy.
struct Question {
  std::shared_ptr<ModelActor> model;
  std::shared_ptr<const Learner> learner;  // the model's
  QuerySet queries;                        // the learner's
  RowsAsked rows;
  std::int64_t bytes = 0;  // of the numbers of the answer
  double seconds = 0;      // that it takes to answer, by estimate

  bool takes_long() const { return seconds > kLongSeconds; }
};

struct PredictOutcome {
  std::int64_t revision = 0;
  Answer predictions;
  std::optional<Scored> scored;  // instead of predictions, where scores are asked for
};

// MakeQuestion makes the question of `model`: INVALID_ARGUMENT names what is wrong with `options`,
// or "batch" where the answer for `rows` would be too large, or take too long.
absl::StatusOr<Question> MakeQuestion(std::shared_ptr<ModelActor> model,
                                      std::shared_ptr<const Learner> learner, const ModelCost& cost,
                                      const PredictOptions& options, const RowsAsked& rows,
                                      const EngineOptions& limits);

// CheckAsked says whether `question` may be asked of `batch`, which must have targets where it asks
// for scores. INVALID_ARGUMENT names the field.
absl::Status CheckAsked(const Question& question, const Batch& batch, const EngineOptions& limits);

// AnswerFrom is what `state` answers. It answers pieces of rows, each of which takes some twentieth
// of a second, by estimate, or as long as it takes to prepare for the query; `proceed` may end the
// work before each piece. REQUIRES: CheckAsked is OK.
absl::StatusOr<PredictOutcome> AnswerFrom(const Published& state, const Question& question,
                                          const ModelCost& cost, const Batch& batch,
                                          const StillWanted& proceed, Scratch& scratch);

}  // namespace prequel
