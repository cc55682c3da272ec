#include "server/engine/history/history.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/engine/history/capture.h"
#include "server/engine/history/log_part.h"
#include "server/engine/records/record.h"

namespace prequel {
namespace {

constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max();
constexpr int kLooks = 3;

}  // namespace

absl::StatusOr<Revisions> History::List() const {
  absl::StatusOr<std::vector<StoredSnapshot>> stored = snapshots_.ListSnapshots(model_.id);
  if (!stored.ok()) return stored.status();
  Revisions revisions;
  for (StoredSnapshot& snapshot : *stored) {
    if (snapshot.problem.ok()) revisions.snapshots.push_back(std::move(snapshot));
  }
  if (revisions.snapshots.empty()) return revisions;
  const absl::StatusOr<bool> whole = IsWhole(log_, model_);
  if (!whole.ok()) return whole.status();
  if (!*whole) revisions.oldest = revisions.snapshots.front().revision;
  return revisions;
}

absl::StatusOr<ModelFold> History::Start(std::int64_t revision,
                                         const std::shared_ptr<const Learner>& learner) const {
  const absl::StatusOr<Revisions> revisions = List();
  if (!revisions.ok()) return revisions.status();
  for (auto it = revisions->snapshots.rbegin(); it != revisions->snapshots.rend(); ++it) {
    if (it->revision > revision) continue;
    absl::StatusOr<FoldPoint> point = ReadCapture(snapshots_, *it, model_.log, *learner);
    if (point.ok()) return ModelFold(learner, *std::move(point));
  }
  const absl::StatusOr<bool> whole = IsWhole(log_, model_);
  if (!whole.ok()) return whole.status();
  if (*whole) return ModelFold(learner);
  return absl::OutOfRangeError(
      absl::StrCat("revision ", revision, " is no longer kept; the oldest is ", revisions->oldest));
}

absl::Status History::FoldUntil(const std::function<bool(const Published&)>& there,
                                const StillWanted& wanted, ModelFold& fold) const {
  bool arrived = there(fold.current());
  if (arrived) return absl::OkStatus();
  Scratch scratch;
  const absl::Status status = VisitPart(
      log_, model_.log, fold.current().next_offset, kEnd, wanted, [&](const LogRecord& record) {
        absl::Status folded = FoldRecord(record, codec_, fold, scratch);
        arrived = folded.ok() && there(fold.current());
        return arrived ? absl::CancelledError() : folded;  // ends the reading
      });
  return arrived ? absl::OkStatus() : status;
}

absl::StatusOr<ModelFold> History::Look(std::int64_t revision, std::uint64_t next_offset,
                                        const std::shared_ptr<const Learner>& learner,
                                        const StillWanted& wanted) const {
  if (revision < 0) {
    return absl::OutOfRangeError(
        absl::StrCat("revision ", revision, " is none: they are counted from 0"));
  }
  absl::StatusOr<ModelFold> fold = Start(revision, learner);
  if (!fold.ok()) return fold;
  const absl::Status status = FoldUntil(
      [&](const Published& current) {
        return current.revision >= revision && current.next_offset >= next_offset;
      },
      wanted, *fold);
  if (!status.ok()) return status;
  if (fold->current().revision == revision) return fold;
  return absl::OutOfRangeError(absl::StrCat(
      "revision ", revision, " is yet to come; the newest is ", fold->current().revision));
}

// A snapshot that is committed meanwhile may take the records away on which the fold goes on: then
// At looks again.
absl::StatusOr<ModelFold> History::At(std::int64_t revision, std::uint64_t next_offset,
                                      const std::shared_ptr<const Learner>& learner,
                                      const StillWanted& wanted) const {
  absl::StatusOr<ModelFold> fold = Look(revision, next_offset, learner, wanted);
  for (int look = 1; look < kLooks && absl::IsDataLoss(fold.status()); ++look) {
    fold = Look(revision, next_offset, learner, wanted);
  }
  return fold;
}

}  // namespace prequel
