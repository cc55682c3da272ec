#include "server/inspect/inspection.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/learner/learner.h"
#include "server/engine/fold/model_fold.h"
#include "server/engine/fold/stored_config.h"
#include "server/engine/history/capture.h"
#include "server/engine/records/record.h"

namespace prequel {
namespace {

std::string Text(const absl::Status& status) { return std::string(status.message()); }

// What a snapshot should hold: parts and state.
std::string BytesOf(const ModelFold& fold) {
  return std::apply([](const auto&... parts) { return (parts.Encode() + ...); }, fold.parts()) +
         fold.learner()->EncodeState(*fold.current().state);
}

}  // namespace

struct Inspector::Found {
  Inspection inspection;
  std::shared_ptr<const Learner> learner;
  std::vector<StoredSnapshot> good;  // oldest first
};

Inspector::Found Inspector::Look(const StoredModel& model) const {
  Found found;
  Inspection& inspection = found.inspection;
  inspection.model = model.name;
  const auto note = [&inspection](const absl::Status& status) {
    if (!status.ok()) inspection.problems.push_back(Text(status));
    return status.ok();
  };
  if (!note(model.problem)) return found;
  absl::StatusOr<std::shared_ptr<const Learner>> learner = ReadConfig(model.config, codec_);
  if (!note(learner.status())) return found;
  found.learner = *std::move(learner);
  const absl::StatusOr<std::vector<StoredSnapshot>> snapshots = snapshots_.ListSnapshots(model.id);
  if (!note(snapshots.status())) return found;
  for (const StoredSnapshot& snapshot : *snapshots) {
    ++inspection.snapshots;
    if (note(ReadCapture(snapshots_, snapshot, model.log, *found.learner).status())) {
      found.good.push_back(snapshot);
    }
  }
  return found;
}

Inspection Inspector::Check(const StoredModel& model) const {
  Found found = Look(model);
  Inspection& inspection = found.inspection;
  if (found.learner == nullptr) return inspection;
  const absl::StatusOr<std::uint64_t> first = log_.FirstOffset(model.log);
  if (!first.ok()) {
    inspection.problems.push_back(Text(first.status()));
    return inspection;
  }
  inspection.first_offset = inspection.next_offset = *first;
  const absl::Status read = VisitLog(log_, model.log, *first, [&](const LogRecord& record) {
    ++inspection.next_offset;
    const absl::Status status = ReadRecord(record, codec_, *found.learner).status();
    if (!status.ok()) inspection.problems.push_back(Text(status));
    return absl::OkStatus();
  });
  if (!read.ok()) inspection.problems.push_back(Text(read));
  for (const StoredSnapshot& snapshot : found.good) {
    if (!read.ok() || snapshot.next_offset <= inspection.next_offset) continue;
    inspection.problems.push_back(absl::StrCat(
        "model ", NumberOf(model.id), ", snapshot at offset ", snapshot.next_offset, " (revision ",
        snapshot.revision, "): the log ends before it, at offset ", inspection.next_offset));
  }
  const bool whole = *first == 0 && !model.from_snapshot;
  if (!whole && (found.good.empty() || found.good.front().next_offset < *first)) {
    inspection.problems.push_back(
        "no good snapshot leads into the log: the model cannot be restored");
  }
  return inspection;
}

Inspection Inspector::Replay(const StoredModel& model) const {
  Inspection inspection = Check(model);
  const Found found = Look(model);
  if (found.learner == nullptr) return inspection;
  std::map<std::uint64_t, StoredSnapshot> due;
  for (const StoredSnapshot& snapshot : found.good) due.emplace(snapshot.next_offset, snapshot);
  std::optional<ModelFold> fold;
  if (inspection.first_offset == 0 && !model.from_snapshot) {
    fold.emplace(found.learner);
  } else if (!found.good.empty()) {
    absl::StatusOr<FoldPoint> restored =
        ReadCapture(snapshots_, found.good.front(), model.log, *found.learner);
    if (restored.ok()) fold.emplace(found.learner, *std::move(restored));
  }
  if (!fold.has_value()) return inspection;
  const auto compare = [&]() {
    const auto it = due.find(fold->current().next_offset);
    if (it == due.end()) return;
    absl::StatusOr<FoldPoint> restored =
        ReadCapture(snapshots_, it->second, model.log, *found.learner);
    if (!restored.ok()) return;  // noted above
    const ModelFold stored(found.learner, *std::move(restored));
    if (BytesOf(stored) == BytesOf(*fold)) return;
    inspection.problems.push_back(absl::StrCat(
        "model ", NumberOf(model.id), ", snapshot at offset ", it->first, " (revision ",
        it->second.revision, ", by ", it->second.build, "): is not what the log leads to"));
  };
  compare();
  Scratch scratch;
  const absl::Status read =
      VisitLog(log_, model.log, fold->current().next_offset, [&](const LogRecord& record) {
        absl::Status status = FoldRecord(record, codec_, *fold, scratch);
        if (status.ok()) compare();
        return status;
      });
  if (absl::IsOutOfRange(read)) return inspection;  // the log ends before the snapshot: see Check
  if (!read.ok()) {
    const std::string problem = Text(read);
    if (std::ranges::count(inspection.problems, problem) == 0)
      inspection.problems.push_back(problem);
  } else if (found.good.empty() || found.good.back().next_offset <= inspection.next_offset) {
    inspection.revision = fold->current().revision;
  }
  return inspection;
}

}  // namespace prequel
