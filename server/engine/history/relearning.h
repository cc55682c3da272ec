// What another configuration makes of the same log.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "absl/status/statusor.h"
#include "core/learner/learner.h"
#include "server/engine/codec.h"
#include "server/engine/fold/model_fold.h"
#include "server/engine/still_wanted.h"
#include "server/storage/catalogue.h"
#include "server/storage/log.h"

namespace prequel {

// Relearning reads beside the model's actor, and folds on the caller's thread. Thread-safe.
class Relearning {
 public:
  // `log`, `codec` and `model` outlive this. `learner` is that of `model`.
  Relearning(const Log& log, const Codec& codec, const StoredModel& model,
             std::shared_ptr<const Learner> learner)
      : log_(log), codec_(codec), model_(model), learner_(std::move(learner)) {}

  // Fold gives what `other` would have come to, in place of the model's learner, over the log's
  // first records, those before `next_offset`. Where the model returned to a revision, `other`
  // returns to what it had made of the same records as that revision. A log with a rollback is
  // folded twice, and the states that are yet to be returned to are held. FAILED_PRECONDITION when
  // the log no longer begins at its beginning.
  absl::StatusOr<ModelFold> Fold(std::uint64_t next_offset,
                                 const std::shared_ptr<const Learner>& other,
                                 const StillWanted& wanted) const;

 private:
  // Returns has, by the offset of each rollback's record, how many records led to the state that it
  // returned to.
  using Returns = std::map<std::uint64_t, std::uint64_t>;
  absl::StatusOr<Returns> FindReturns(std::uint64_t next_offset, const StillWanted& wanted) const;
  // FindRollbacks gives, by the offset of each rollback, the revision that it returned to.
  absl::StatusOr<std::map<std::uint64_t, std::int64_t>> FindRollbacks(
      std::uint64_t next_offset, const StillWanted& wanted) const;

  const Log& log_;
  const Codec& codec_;
  const StoredModel& model_;
  const std::shared_ptr<const Learner> learner_;
};

}  // namespace prequel
