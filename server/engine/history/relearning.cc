#include "server/engine/history/relearning.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/engine/history/log_part.h"
#include "server/engine/records/record.h"

namespace prequel {
namespace {

// The states of a fold that rollbacks are yet to return to.
class Kept {
 public:
  // `returns` has, by a rollback's offset, the next offset of the state that it returns to.
  explicit Kept(const std::map<std::uint64_t, std::uint64_t>& returns) : returns_(returns) {
    for (const auto& [rollback, then] : returns) last_use_[then] = rollback;
  }

  void Consider(const Published& current) {
    if (last_use_.contains(current.next_offset)) states_[current.next_offset] = current.state;
  }

  // REQUIRES: all before the rollback was considered; every rollback once, in order.
  std::shared_ptr<const LearnerState> Take(std::uint64_t rollback) {
    const auto state = states_.find(returns_.at(rollback));
    std::shared_ptr<const LearnerState> taken = state->second;
    if (last_use_.at(state->first) == rollback) states_.erase(state);
    return taken;
  }

 private:
  const std::map<std::uint64_t, std::uint64_t>& returns_;
  std::map<std::uint64_t, std::uint64_t> last_use_;
  std::map<std::uint64_t, std::shared_ptr<const LearnerState>> states_;
};

bool IsRollback(const LogRecord& record) { return record.type == Rollback::kType; }

}  // namespace

absl::StatusOr<std::map<std::uint64_t, std::int64_t>> Relearning::FindRollbacks(
    std::uint64_t next_offset, const StillWanted& wanted) const {
  std::map<std::uint64_t, std::int64_t> revisions;
  const absl::Status status =
      VisitPart(log_, model_.log, 0, next_offset, wanted, [&](const LogRecord& record) {
        if (!IsRollback(record)) return absl::OkStatus();
        const absl::StatusOr<Record> rollback = ReadRecord(record, codec_, *learner_);
        if (!rollback.ok()) return rollback.status();
        revisions.emplace(record.offset, std::get<Rollback>(*rollback).state.revision);
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  return revisions;
}

// A revision is looked up by folding with the learner that it was a revision of: which records
// count as revisions depends on the configuration, since an update that fails with one may succeed
// with another.
absl::StatusOr<Relearning::Returns> Relearning::FindReturns(std::uint64_t next_offset,
                                                            const StillWanted& wanted) const {
  const auto revisions = FindRollbacks(next_offset, wanted);
  if (!revisions.ok()) return revisions.status();
  Returns returns;
  if (revisions->empty()) return returns;
  ModelFold fold(learner_);
  std::map<std::int64_t, std::uint64_t> left = {{0, 0}};  // how many records led to a revision
  Scratch scratch;
  const absl::Status status = VisitPart(
      log_, model_.log, 0, revisions->rbegin()->first, wanted, [&](const LogRecord& record) {
        absl::Status folded = FoldRecord(record, codec_, fold, scratch);
        left.emplace(fold.current().revision, fold.current().next_offset);  // the first one counts
        return folded;
      });
  if (!status.ok()) return status;
  for (const auto& [rollback, revision] : *revisions) {
    const auto then = left.find(revision);
    if (then == left.end() || then->second > rollback) {
      return absl::DataLossError(absl::StrCat("log ", NumberOf(model_.log), ", record at offset ",
                                              rollback, ": a rollback to revision ", revision,
                                              ", which the log does not lead to"));
    }
    returns.emplace(rollback, then->second);
  }
  return returns;
}

absl::StatusOr<ModelFold> Relearning::Fold(std::uint64_t next_offset,
                                           const std::shared_ptr<const Learner>& other,
                                           const StillWanted& wanted) const {
  const absl::StatusOr<bool> whole = IsWhole(log_, model_);
  if (!whole.ok()) return whole.status();
  if (!*whole) {
    return absl::FailedPreconditionError(
        "another configuration must learn all the data, and the log no longer holds all of them; a "
        "server with --retention=full keeps them");
  }
  const absl::StatusOr<Returns> returns = FindReturns(next_offset, wanted);
  if (!returns.ok()) return returns.status();
  ModelFold fold(other);
  Kept kept(*returns);
  kept.Consider(fold.current());
  Scratch scratch;
  const absl::Status status =
      VisitPart(log_, model_.log, 0, next_offset, wanted, [&](const LogRecord& record) {
        if (IsRollback(record)) {
          Record rollback = Rollback{.state = *kept.Take(record.offset)};
          (void)prequel::Fold(rollback, fold, OriginOf(record),
                              {.scratch = scratch, .time_us = record.time_us});
        } else if (absl::Status folded = FoldRecord(record, codec_, fold, scratch); !folded.ok()) {
          return folded;
        }
        kept.Consider(fold.current());
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  return fold;
}

}  // namespace prequel
