#include "tests/server/engine/reader_histories.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/learner/learner.h"
#include "tests/server/engine/fake_world.h"
#include "tests/server/engine/reader_run.h"

namespace prequel {
namespace {

// The write that made each revision; rollbacks, which one thread made one after the other, take
// in order what the minibatches left. Empty, and why, when that is not possible.
std::vector<Write> ByRevision(const std::vector<Write>& writes, std::string* problem) {
  std::vector<Write> made(writes.size() + 1);
  std::vector<Write> rollbacks;
  for (const Write& write : writes) {
    if (write.producer < 0) {
      rollbacks.push_back(write);
      continue;
    }
    const auto revision = static_cast<std::size_t>(write.revision);
    if (write.revision < 1 || revision >= made.size() || made[revision].revision != 0) {
      *problem = absl::StrCat("revision ", write.revision, " was given twice, or is beyond all");
      return {};
    }
    made[revision] = write;
  }
  auto rollback = rollbacks.begin();
  for (std::size_t revision = 1; revision < made.size(); ++revision) {
    if (made[revision].revision != 0) continue;
    made[revision] = *rollback++;
    made[revision].revision = static_cast<std::int64_t>(revision);
    if (made[revision].seen < made[revision].revision) {
      *problem = absl::StrCat("a rollback returned before revision ", revision, " was to be seen");
    }
  }
  return made;
}

struct Digests {
  std::vector<std::uint64_t> state, predictive;  // by revision
};

// The plain fold.
Digests Fold(const std::vector<Write>& made, const Learner& learner, const Batch& query) {
  Digests digests;
  std::vector<LearnerState> states;
  Scratch scratch;
  for (std::size_t revision = 0; revision < made.size(); ++revision) {
    LearnerState next = learner.Initial();
    if (revision > 0 && made[revision].producer < 0) {
      next = states[static_cast<std::size_t>(made[revision].returned_to)];
      next.revision = static_cast<std::int64_t>(revision);
    } else if (revision > 0) {
      const Batch batch = BatchOf(made[revision].producer, made[revision].sequence);
      (void)learner.Update(states.back(), batch, scratch, next).value();
    }
    digests.state.push_back(DigestOf(learner, next));
    digests.predictive.push_back(
        DigestOf(learner.Predict(next, query, Queries(), scratch).value()));
    states.push_back(std::move(next));
  }
  return digests;
}

// The highest revision that had been acknowledged, or read, before a moment.
class Known {
 public:
  Known(const std::vector<Write>& made, const std::vector<Read>& reads) {
    for (const Write& write : made) Add(write.at.returned, write.revision);
    for (const Read& read : reads) Add(read.at.returned, read.newest ? read.revision : 0);
    std::int64_t highest = 0;
    for (auto& [moment, revision] : by_moment_) {
      revision = highest = std::max(highest, revision);
    }
  }
  std::int64_t Before(std::int64_t moment) const {
    const auto after = by_moment_.lower_bound(moment);
    return after == by_moment_.begin() ? 0 : std::prev(after)->second;
  }

 private:
  void Add(std::int64_t moment, std::int64_t revision) {
    std::int64_t& known = by_moment_[moment];
    known = std::max(known, revision);
  }
  std::map<std::int64_t, std::int64_t> by_moment_;
};

std::string Wrong(const Read& read, const std::vector<Write>& made, const Digests& digests,
                  const Known& known) {
  const auto revision = static_cast<std::size_t>(read.revision);
  const std::string what = absl::StrCat(read.call, " at revision ", read.revision, ", invoked at ",
                                        read.at.invoked, ", returned at ", read.at.returned, ", ");
  if (revision >= made.size()) return what + "is beyond every write";
  if (revision > 0 && made[revision].at.invoked > read.at.returned) {
    return what + "is of a write that was not yet invoked";
  }
  const std::uint64_t digest =
      read.predictive ? digests.predictive[revision] : digests.state[revision];
  if (read.digest != digest) return what + "is not the fold";
  if (!read.newest) return "";
  const std::int64_t before = known.Before(read.at.invoked);
  if (read.revision >= before) return "";
  return absl::StrCat(what, "though revision ", before, " was known before");
}

}  // namespace

void ReaderHistories::Add(const ReaderHistories& other) {
  writes += other.writes;
  rollbacks += other.rollbacks;
  forks += other.forks;
  reads += other.reads;
  past_reads += other.past_reads;
  if (problem.empty()) problem = other.problem;
}

ReaderHistories CheckReaders(Store& store, const ReaderOptions& options) {
  const ReaderRun run = RunReaders(store, options);
  ReaderHistories result{.problem = run.problem};
  for (const Write& write : run.writes) ++(write.producer < 0 ? result.rollbacks : result.writes);
  for (const Read& read : run.reads) {
    result.forks += std::string(read.call) == "Fork" ? 1 : 0;
    ++(read.newest ? result.reads : result.past_reads);
  }
  if (!result.problem.empty()) return result;
  const std::vector<Write> made = ByRevision(run.writes, &result.problem);
  if (!result.problem.empty()) return result;
  const Digests digests = Fold(made, *run.learner, run.query);
  const Known known(made, run.reads);
  for (const Read& read : run.reads) {
    result.problem = Wrong(read, made, digests, known);
    if (!result.problem.empty()) break;
  }
  return result;
}

}  // namespace prequel
