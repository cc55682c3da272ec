#include "server/engine/history.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/engine/record_fold.h"

namespace prequel {
namespace {

constexpr std::uint64_t kRecordsPerRead = 256;
constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max();

}  // namespace

absl::StatusOr<bool> History::IsWhole() const {
  if (from_snapshot_) return false;
  const absl::StatusOr<std::uint64_t> first = log_.FirstOffset(stream_);
  if (!first.ok()) return first.status();
  return *first == 0;
}

absl::StatusOr<Revisions> History::List() const {
  absl::StatusOr<std::vector<StoredSnapshot>> stored = snapshots_.ListSnapshots(model_);
  if (!stored.ok()) return stored.status();
  Revisions revisions;
  for (StoredSnapshot& snapshot : *stored) {
    if (snapshot.problem.ok()) revisions.snapshots.push_back(std::move(snapshot));
  }
  if (revisions.snapshots.empty()) return revisions;
  const StoredSnapshot& oldest = revisions.snapshots.front();
  const absl::StatusOr<bool> whole = IsWhole();
  if (!whole.ok()) return whole.status();
  if (!*whole) revisions.oldest = oldest.revision;
  return revisions;
}

absl::StatusOr<LearnerFold> History::Start(std::int64_t revision,
                                           const std::shared_ptr<const Learner>& learner) const {
  const absl::StatusOr<Revisions> revisions = List();
  if (!revisions.ok()) return revisions.status();
  for (auto it = revisions->snapshots.rbegin(); it != revisions->snapshots.rend(); ++it) {
    if (it->revision > revision) continue;
    absl::StatusOr<Restored> restored = ReadCapture(snapshots_, *it, *learner);
    if (restored.ok()) return LearnerFold(learner, *std::move(restored));
  }
  const absl::StatusOr<bool> whole = IsWhole();
  if (!whole.ok()) return whole.status();
  if (*whole) return LearnerFold(learner);
  return absl::OutOfRangeError(
      absl::StrCat("revision ", revision, " is no longer kept; the oldest is ", revisions->oldest));
}

absl::Status History::Visit(std::uint64_t from, std::uint64_t until, const StillWanted& wanted,
                            absl::FunctionRef<absl::Status(const LogRecord&)> visit) const {
  const std::unique_ptr<Follower> follower = log_.Follow(stream_, from);
  while (follower->offset() < until) {
    const std::size_t limit = std::min(until - follower->offset(), kRecordsPerRead);
    const auto progress = follower->Next(limit, [&](const LogRecord& record) {
      absl::Status still = wanted ? wanted() : absl::OkStatus();
      return still.ok() ? visit(record) : still;
    });
    if (!progress.ok()) return progress.status();
    if (*progress == Follower::Progress::kCaughtUp) break;
  }
  return absl::OkStatus();
}

absl::Status History::FoldUntil(const std::function<bool(const Snapshot&)>& there,
                                const StillWanted& wanted, LearnerFold& fold) const {
  bool arrived = there(fold.current());
  if (arrived) return absl::OkStatus();
  Scratch scratch;
  const absl::Status status =
      Visit(fold.current().next_offset, kEnd, wanted, [&](const LogRecord& record) {
        absl::Status folded = FoldRecord(record, codec_, fold, scratch);
        arrived = folded.ok() && there(fold.current());
        return arrived ? absl::CancelledError() : folded;  // ends the reading
      });
  return arrived ? absl::OkStatus() : status;
}

absl::StatusOr<LearnerFold> History::At(std::int64_t revision, std::uint64_t next_offset,
                                        const std::shared_ptr<const Learner>& learner,
                                        const StillWanted& wanted) const {
  absl::StatusOr<LearnerFold> fold = Start(revision, learner);
  if (!fold.ok()) return fold;
  const absl::Status status = FoldUntil(
      [&](const Snapshot& current) {
        return current.revision >= revision && current.next_offset >= next_offset;
      },
      wanted, *fold);
  if (!status.ok()) return status;
  if (fold->current().revision == revision) return fold;
  return absl::OutOfRangeError(absl::StrCat(
      "revision ", revision, " is yet to come; the newest is ", fold->current().revision));
}

}  // namespace prequel
