#include "server/engine/actor/replay.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

// How much a step does: long enough for an iterator to pay, short enough to let others have the
// worker. How the log is cut into steps changes nothing that is folded.
constexpr std::size_t kMostRecords = 256;
constexpr double kStepSeconds = 5e-3;
// A model that takes this much is heavy to make and to restore.
constexpr std::int64_t kHeavyBytes = 16 << 20;

}  // namespace

absl::StatusOr<Follower::Progress> Replay::Step(Scratch& scratch, bool heavy) {
  if (follower_ != nullptr) return Follow(scratch, heavy);
  absl::Status status = reserved_ ? Prepare() : Reserve();
  if (!status.ok()) return status;
  return Follower::Progress::kMore;
}

absl::StatusOr<Follower::Progress> Replay::Follow(Scratch& scratch, bool heavy) {
  const double begun = ThreadSeconds();
  absl::StatusOr<Follower::Progress> progress = Follower::Progress::kMore;
  if (left_.has_value()) {
    Fold(*std::exchange(left_, std::nullopt), scratch);
  } else {
    bool over = false;  // the step, not the log
    progress = follower_->Next(kMostRecords, [&](const LogRecord& record) -> absl::Status {
      absl::StatusOr<Record> read = ReadRecord(record, parts_.codec, *learner_);
      if (!read.ok()) return read.status();
      parts_.cadence.OnFolded(record.payload.size());
      const double seconds = SecondsToLearn(*cost_, RowsIn(*read));
      Read next{*std::move(read), OriginOf(record), record.time_us, seconds};
      if (!heavy && heaviness_.IsHeavy(seconds)) {
        left_ = std::move(next);
      } else {
        Fold(std::move(next), scratch);
      }
      over = left_.has_value() || ThreadSeconds() - begun > kStepSeconds;
      return over ? absl::CancelledError() : absl::OkStatus();
    });
    if (over) progress = Follower::Progress::kMore;
  }
  heavy_ = left_.has_value();
  parts_.observers.Tell(&EngineObserver::OnReplayProgress, parts_.model.name,
                        fold_->current().next_offset);
  return absl::IsOutOfRange(progress.status()) ? SkipWhatIsLost() : progress;
}

void Replay::Fold(Read read, Scratch& scratch) {
  const double begun = ThreadSeconds();
  (void)prequel::Fold(read.record, *fold_, read.origin,
                      {.scratch = scratch, .time_us = read.time_us});
  heaviness_.Note(read.seconds, ThreadSeconds() - begun);
}

absl::StatusOr<Follower::Progress> Replay::SkipWhatIsLost() {
  if (absl::Status status = parts_.log.SkipTo(parts_.model.log, follower_->offset());
      !status.ok()) {
    return status;
  }
  return Follower::Progress::kCaughtUp;
}

// Reserve takes the model's memory before anything is made.
absl::Status Replay::Reserve() {
  reserved_ = true;
  if (!parts_.model.problem.ok()) return parts_.model.problem;
  const absl::StatusOr<ModelCost> cost = EstimateConfig(parts_.model.config, parts_.codec);
  if (!cost.ok()) return absl::OkStatus();  // reading it says what is wrong
  const ModelBytes bytes = BytesOf(cost->footprint());
  absl::StatusOr<ModelMemory::Lease> memory = parts_.memory.Take(bytes);
  if (!memory.ok()) return memory.status();
  memory_ = *std::move(memory);
  heavy_ = bytes.held > kHeavyBytes;
  return absl::OkStatus();
}

absl::Status Replay::Prepare() {
  heavy_ = false;
  auto learner = ReadConfig(parts_.model.config, parts_.codec);
  if (!learner.ok()) {
    const absl::Status& status = learner.status();
    return absl::Status(status.code(), absl::StrCat("stored configuration: ", status.message()));
  }
  learner_ = *std::move(learner);
  cost_ = ModelCost::Of(learner_->config()).value();  // which was made of it
  if (absl::Status status = Restore(); !status.ok()) return status;
  begin_ = fold_->current().next_offset;
  const absl::StatusOr<std::uint64_t> end = parts_.log.EndOffset(parts_.model.log);
  if (!end.ok()) return end.status();
  end_ = std::max(begin_, *end);
  follower_ = parts_.log.Follow(parts_.model.log, begin_);
  return absl::OkStatus();
}

ReplayProgress Replay::progress() const {
  if (follower_ == nullptr) return {};
  return {.folded = static_cast<std::int64_t>(fold_->current().next_offset - begin_),
          .records = static_cast<std::int64_t>(end_ - begin_)};
}

// Restore begins with the newest snapshot that can be read; without any, at the log's beginning.
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
