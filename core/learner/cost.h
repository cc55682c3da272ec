// What a model costs, in memory and in arithmetic: estimates, known before anything is made.
#pragma once

#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "core/config/learner_config.h"
#include "core/learner/planning/footprint.h"
#include "core/linalg/types.h"
#include "core/predictive/query_set.h"

namespace prequel {

struct Problem;  // core/learner/problem.h

// ModelCost is immutable, and cheap to copy.
class ModelCost {
 public:
  // Fails with INVALID_ARGUMENT as Learner::Create does, as far as it looks.
  static absl::StatusOr<ModelCost> Of(const LearnerConfig& config);

  const Footprint& footprint() const { return footprint_; }
  // UpdateFlops are those of an update with a minibatch of `rows` rows: about as many passes as
  // usual, over each belief.
  double UpdateFlops(Index rows) const;
  // QueryFlops are those of an answer to the queries, of one row: of the draws, and of the sums
  // over them to find a quantile. REQUIRES: the queries are of such a model.
  double QueryFlops(const QuerySet& queries) const;
  // PreparationFlops are those before the first draw: a posterior is factorised, D³/3 of a full
  // one. Once for all rows; where they say when they happen, at most once for each. 0 where nothing
  // is drawn.
  double PreparationFlops(const QuerySet& queries) const;

 private:
  ModelCost(std::shared_ptr<const Problem> outline, const Footprint& footprint)
      : outline_(std::move(outline)), footprint_(footprint) {}
  std::shared_ptr<const Problem> outline_;
  Footprint footprint_;
};

}  // namespace prequel
