// ModelActor at start-up: the fold over what the log holds.
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/engine/model_actor.h"
#include "server/engine/record_fold.h"

namespace prequel {
namespace {

// Per turn: long enough for an iterator to pay, short enough to let others have the worker.
constexpr std::size_t kRecordsPerTurn = 256;

absl::Status Annotate(const absl::Status& status, std::string_view what) {
  return absl::Status(status.code(), absl::StrCat(std::string(what), ": ", status.message()));
}

}  // namespace

void ModelActor::StartReplay(absl::AnyInvocable<void()> done) {
  replay_done_ = std::move(done);
  Post(&ModelActor::ReplayTurn);
}

absl::Status ModelActor::PrepareReplay() {
  if (!stored_.problem.ok()) return stored_.problem;
  const absl::StatusOr<LearnerConfig> config = parts_.codec.DecodeConfig(stored_.config);
  if (!config.ok()) return Annotate(config.status(), "stored configuration");
  absl::StatusOr<Learner> learner = Learner::Create(*config);
  if (!learner.ok()) return Annotate(learner.status(), "stored configuration");
  auto shared = std::make_shared<const Learner>(*std::move(learner));
  {
    MutexLock lock(mu_);
    published_.learner = shared;
  }
  return RestoreFold(shared);
}

// From the newest snapshot that can be read; without any, from the log's beginning.
absl::Status ModelActor::RestoreFold(const std::shared_ptr<const Learner>& learner) {
  const absl::StatusOr<std::vector<StoredSnapshot>> stored = parts_.snapshots.ListSnapshots(id());
  if (!stored.ok()) return stored.status();
  for (auto it = stored->rbegin(); it != stored->rend(); ++it) {
    absl::StatusOr<Restored> restored = ReadCapture(parts_.snapshots, *it, *learner);
    if (restored.ok()) {
      fold_.emplace(learner, *std::move(restored));
      stored_offset_ = it->next_offset;
      return absl::OkStatus();
    }
    parts_.snapshotter.Distrust(id(), it->next_offset);
    parts_.observer.OnSnapshotLost(name(), restored.status());
  }
  if (stored_.from_snapshot) {
    return absl::DataLossError(
        "none of its snapshots can be read, and the log does not begin with "
        "the model");
  }
  fold_.emplace(learner);
  return absl::OkStatus();
}

void ModelActor::ReplayTurn() {
  if (!fold_.has_value()) {
    if (absl::Status status = PrepareReplay(); !status.ok()) return FinishReplay(status);
    follower_ = parts_.log.Follow(log(), fold_->current().next_offset);
  }
  ScratchPool::Lease scratch = parts_.scratch.Take();
  const absl::StatusOr<Follower::Progress> progress =
      follower_->Next(kRecordsPerTurn, [&](const LogRecord& record) {
        Folded(record.payload.size());
        return FoldRecord(record, parts_.codec, *fold_, *scratch);
      });
  parts_.observer.OnReplayProgress(name(), follower_->offset());
  if (progress.ok() && *progress == Follower::Progress::kMore) {
    return Post(&ModelActor::ReplayTurn);
  }
  // What the snapshot holds and the log has lost is not lost.
  FinishReplay(absl::IsOutOfRange(progress.status()) ? parts_.log.SkipTo(log(), follower_->offset())
                                                     : progress.status());
}

void ModelActor::FinishReplay(const absl::Status& status) {
  follower_ = nullptr;
  const absl::Status problem =
      status.ok() ? status : Annotate(status, absl::StrCat("model ", name(), " does not serve"));
  if (status.ok()) {
    sequencer = Sequencer(fold_->ledger());
  } else {
    fold_.reset();
  }
  {
    MutexLock lock(mu_);
    stage_ = status.ok() ? Stage::kServing : Stage::kBroken;
    problem_ = problem;
    if (status.ok()) published_.snapshot = fold_->current();
  }
  parts_.observer.OnReplayDone(name(), problem);
  std::exchange(replay_done_, nullptr)();
}

}  // namespace prequel
