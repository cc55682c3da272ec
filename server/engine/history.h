// A model as it was: any revision that the store still leads to.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "core/learner.h"
#include "server/engine/capture.h"
#include "server/engine/codec.h"
#include "server/engine/learner_fold.h"
#include "server/engine/still_wanted.h"
#include "server/storage/store.h"

namespace prequel {

// What ListRevisions shows.
struct Revisions {
  std::int64_t oldest = 0;                // every revision from here on can be returned to
  std::vector<StoredSnapshot> snapshots;  // oldest first; the good ones
};

// Reads beside the model's actor, and folds on the caller's thread: from the nearest snapshot
// before, at most what lies between two of them. Thread-safe as far as the store is.
class History {
 public:
  // `store` and `codec` outlive it.
  // `from_snapshot`: see StoredModel.
  History(const Store& store, const Codec& codec, LogId log, bool from_snapshot)
      : store_(store), codec_(codec), log_(log), from_snapshot_(from_snapshot) {}

  absl::StatusOr<Revisions> List() const;

  // The fold up to `revision`. OUT_OF_RANGE: it is no longer kept, or is yet to come.
  absl::StatusOr<LearnerFold> At(std::int64_t revision,
                                 const std::shared_ptr<const Learner>& learner,
                                 const StillWanted& wanted) const;

  // What another learner would have come to over the same log's first records, those before
  // `next_offset`. FAILED_PRECONDITION when the log no longer begins at its beginning.
  absl::StatusOr<LearnerFold> Refold(std::uint64_t next_offset,
                                     const std::shared_ptr<const Learner>& learner,
                                     const StillWanted& wanted) const;

 private:
  // Whether the log alone leads to every state.
  absl::StatusOr<bool> IsWhole() const;
  // The newest readable snapshot of at most `revision`, or the beginning.
  absl::StatusOr<LearnerFold> Start(std::int64_t revision,
                                    const std::shared_ptr<const Learner>& learner) const;
  absl::Status FoldUntil(const std::function<bool(const Snapshot&)>& there,
                         const StillWanted& wanted, LearnerFold& fold) const;

  const Store& store_;
  const Codec& codec_;
  const LogId log_;
  const bool from_snapshot_;
};

}  // namespace prequel
