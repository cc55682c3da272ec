#include "server/engine/actor/replay.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/engine/fold/stored_config.h"
#include "server/engine/history/capture.h"
#include "server/engine/records/record.h"
#include "server/engine/work.h"
#include "server/sync/thread_time.h"

namespace prequel {
namespace {

// Per step: long enough for an iterator to pay, short enough to let others have the worker. How the
// log is cut into steps changes nothing that is folded.
constexpr std::size_t kMostRecords = 256;
constexpr double kStepSeconds = 5e-3;

}  // namespace

absl::StatusOr<Follower::Progress> Replay::Step(Scratch& scratch) {
  if (follower_ == nullptr) {
    if (absl::Status status = Prepare(); !status.ok()) return status;
  }
  const double begun = ThreadSeconds();
  const auto progress = follower_->Next(limit_, [&](const LogRecord& record) {
    parts_.cadence.OnFolded(record.payload.size());
    return FoldRecord(record, parts_.codec, *fold_, scratch);
  });
  const double seconds = ThreadSeconds() - begun;
  heavy_ = limit_ == 1 && seconds > kStepSeconds;
  limit_ = seconds > kStepSeconds ? std::max<std::size_t>(1, limit_ / 2)
                                  : std::min(kMostRecords, 2 * limit_);
  parts_.observers.Tell(&EngineObserver::OnReplayProgress, parts_.model.name, follower_->offset());
  return absl::IsOutOfRange(progress.status()) ? SkipWhatIsLost() : progress;
}

absl::StatusOr<Follower::Progress> Replay::SkipWhatIsLost() {
  if (absl::Status status = parts_.log.SkipTo(parts_.model.log, follower_->offset());
      !status.ok()) {
    return status;
  }
  return Follower::Progress::kCaughtUp;
}

absl::Status Replay::Prepare() {
  if (!parts_.model.problem.ok()) return parts_.model.problem;
  absl::StatusOr<ModelCost> cost =
      EstimateConfig(parts_.model.config, parts_.model.version, parts_.codec);
  if (cost.ok()) {  // else reading it says what is wrong
    absl::StatusOr<ModelMemory::Lease> memory = parts_.memory.Take(BytesOf(cost->footprint()));
    if (!memory.ok()) return memory.status();
    memory_ = *std::move(memory);
  }
  auto learner = ReadConfig(parts_.model.config, parts_.model.version, parts_.codec);
  if (!learner.ok()) {
    const absl::Status& status = learner.status();
    return absl::Status(status.code(), absl::StrCat("stored configuration: ", status.message()));
  }
  learner_ = *std::move(learner);
  if (absl::Status status = Restore(); !status.ok()) return status;
  follower_ = parts_.log.Follow(parts_.model.log, fold_->current().next_offset);
  return absl::OkStatus();
}

// From the newest snapshot that can be read; without any, from the log's beginning.
absl::Status Replay::Restore() {
  const StoredModel& model = parts_.model;
  const absl::StatusOr<std::vector<StoredSnapshot>> stored =
      parts_.snapshots.ListSnapshots(model.id);
  if (!stored.ok()) return stored.status();
  for (auto it = stored->rbegin(); it != stored->rend(); ++it) {
    absl::StatusOr<FoldPoint> point = ReadCapture(parts_.snapshots, *it, model.log, *learner_);
    if (point.ok()) {
      fold_.emplace(learner_, *std::move(point));
      parts_.cadence.OnStored(it->next_offset);
      return absl::OkStatus();
    }
    parts_.snapshotter.Distrust(model.id, it->next_offset);
    parts_.observers.Tell(&EngineObserver::OnSnapshotLost, model.name, point.status());
  }
  if (model.from_snapshot) {
    return absl::DataLossError(
        "none of its snapshots can be read, and the log does not begin with the model");
  }
  fold_.emplace(learner_);
  return absl::OkStatus();
}

}  // namespace prequel
