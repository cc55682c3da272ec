// A model as it was: any revision that the stores still lead to.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/learner/learner.h"
#include "server/engine/codec.h"
#include "server/engine/fold/model_fold.h"
#include "server/engine/still_wanted.h"
#include "server/storage/catalogue.h"
#include "server/storage/log.h"
#include "server/storage/snapshot_store.h"

namespace prequel {

// What ListRevisions shows.
struct Revisions {
  std::int64_t oldest = 0;                // every revision from here on can be returned to
  std::vector<StoredSnapshot> snapshots;  // oldest first; the good ones
};

// History reads beside the model's actor, and folds on the caller's thread: from the nearest
// snapshot before, at most what lies between two of them. Thread-safe.
class History {
 public:
  // All of it outlives this.
  History(const Log& log, const SnapshotStore& snapshots, const Codec& codec,
          const StoredModel& model)
      : log_(log), snapshots_(snapshots), codec_(codec), model_(model) {}

  absl::StatusOr<Revisions> List() const;

  // At() is the fold up to `revision`, and on until the fold is at `next_offset`: what was refused
  // or failed behind a revision belongs to its ledger. OUT_OF_RANGE: the revision is no longer
  // kept, or is yet to come. REQUIRES: no record before `next_offset` led to a later revision; 0
  // will always do.
  absl::StatusOr<ModelFold> At(std::int64_t revision, std::uint64_t next_offset,
                               const std::shared_ptr<const Learner>& learner,
                               const StillWanted& wanted) const;

 private:
  absl::StatusOr<ModelFold> Look(std::int64_t revision, std::uint64_t next_offset,
                                 const std::shared_ptr<const Learner>& learner,
                                 const StillWanted& wanted) const;
  // The newest readable snapshot of at most `revision`, or the beginning.
  absl::StatusOr<ModelFold> Start(std::int64_t revision,
                                  const std::shared_ptr<const Learner>& learner) const;
  absl::Status FoldUntil(const std::function<bool(const Published&)>& there,
                         const StillWanted& wanted, ModelFold& fold) const;

  const Log& log_;
  const SnapshotStore& snapshots_;
  const Codec& codec_;
  const StoredModel& model_;
};

}  // namespace prequel
