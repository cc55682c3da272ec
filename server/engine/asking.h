// A question to a model: whether it can be asked, and what a state of the model answers.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/config/batch.h"
#include "core/learner/cost.h"
#include "core/learner/learner.h"
#include "core/predictive/answer.h"
#include "core/predictive/query_set.h"
#include "server/engine/fold/published.h"
#include "server/engine/still_wanted.h"

namespace prequel {

struct PredictOutcome {
  std::int64_t revision = 0;
  Answer predictions;
  std::optional<Scored> scored;  // instead of predictions, where scores are asked for
};

// UNAVAILABLE, of queries that are another model's: one that was deleted and made again meanwhile.
absl::Status NotItsQueries();

// Whether `learner` can be asked this of `batch`, which is to be scored if that is asked.
absl::Status CheckQuestion(const Learner& learner, const Batch& batch, const QuerySet& queries);

// In pieces of rows that are answered in some twentieth of a second, by estimate, or in as long as
// it takes to prepare for the query; `proceed` may end it before each. REQUIRES: CheckQuestion is
// OK.
absl::StatusOr<PredictOutcome> AnswerQuestion(const Learner& learner, const ModelCost& cost,
                                              const Published& published, const Batch& batch,
                                              const QuerySet& queries, const StillWanted& proceed,
                                              Scratch& scratch);

}  // namespace prequel
