// A model as it was: any revision that the store still leads to.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/learner/learner.h"
#include "server/engine/capture.h"
#include "server/engine/codec.h"
#include "server/engine/learner_fold.h"
#include "server/engine/still_wanted.h"
#include "server/storage/log.h"
#include "server/storage/snapshot_store.h"

namespace prequel {

// What ListRevisions shows.
struct Revisions {
  std::int64_t oldest = 0;                // every revision from here on can be returned to
  std::vector<StoredSnapshot> snapshots;  // oldest first; the good ones
};

// Reads beside the model's actor, and folds on the caller's thread: from the nearest snapshot
// before, at most what lies between two of them. Thread-safe.
class History {
 public:
  // `log`, `snapshots` and `codec` outlive it. `from_snapshot`: see StoredModel.
  History(const Log& log, const SnapshotStore& snapshots, const Codec& codec, ModelId model,
          LogId stream, bool from_snapshot)
      : log_(log),
        snapshots_(snapshots),
        codec_(codec),
        model_(model),
        stream_(stream),
        from_snapshot_(from_snapshot) {}

  absl::StatusOr<Revisions> List() const;

  // The fold up to `revision`, and on until it is at `next_offset`: what was refused or failed
  // behind a revision is of its ledger. OUT_OF_RANGE: it is no longer kept, or is yet to come.
  // REQUIRES: no record before `next_offset` led to a later revision; 0 will always do.
  absl::StatusOr<LearnerFold> At(std::int64_t revision, std::uint64_t next_offset,
                                 const std::shared_ptr<const Learner>& learner,
                                 const StillWanted& wanted) const;

  // What `other` would have come to in place of `learner` over the log's first records, those
  // before `next_offset`: a rollback returns to what `other` had made of the same records as the
  // revision returned to. Behind a rollback it folds twice, and holds the states that are yet to be
  // returned to. FAILED_PRECONDITION when the log no longer begins at its beginning.
  absl::StatusOr<LearnerFold> Refold(std::uint64_t next_offset,
                                     const std::shared_ptr<const Learner>& learner,
                                     const std::shared_ptr<const Learner>& other,
                                     const StillWanted& wanted) const;

 private:
  // Of each rollback's record, by its offset: how many records the state it returned to is of.
  using Returns = std::map<std::uint64_t, std::uint64_t>;
  absl::StatusOr<Returns> FindReturns(std::uint64_t next_offset,
                                      const std::shared_ptr<const Learner>& learner,
                                      const StillWanted& wanted) const;
  // Whether the log alone leads to every state.
  absl::StatusOr<bool> IsWhole() const;
  // The newest readable snapshot of at most `revision`, or the beginning.
  absl::StatusOr<LearnerFold> Start(std::int64_t revision,
                                    const std::shared_ptr<const Learner>& learner) const;
  // Calls `visit` with the records from `from` to before `until`, or to the log's end. An error of
  // `visit` ends the reading and is returned.
  absl::Status Visit(std::uint64_t from, std::uint64_t until, const StillWanted& wanted,
                     absl::FunctionRef<absl::Status(const LogRecord&)> visit) const;
  absl::Status FoldUntil(const std::function<bool(const Snapshot&)>& there,
                         const StillWanted& wanted, LearnerFold& fold) const;

  const Log& log_;
  const SnapshotStore& snapshots_;
  const Codec& codec_;
  const ModelId model_;
  const LogId stream_;
  const bool from_snapshot_;
};

}  // namespace prequel
