// ModelActor's snapshots: when they are due, and what goes into them.
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/engine/ledger_codec.h"
#include "server/engine/model_actor.h"

namespace prequel {

void ModelActor::RequestSnapshot(SnapshotCallback done) {
  absl::Status status;
  {
    MutexLock lock(mu_);
    status = abandoned_ ? absl::UnavailableError("the server is shutting down") : CheckReadable();
    if (status.ok() && deleting_) {
      status = absl::NotFoundError(absl::StrCat("model ", name(), " was deleted"));
    }
    if (status.ok()) {
      snapshot_requests_.push_back(std::move(done));
      if (!std::exchange(scheduled_, true)) Post(&ModelActor::LearnTurn);
      return;
    }
  }
  done(status);
}

std::optional<Capture> ModelActor::LastCapture() const {
  if (!fold_.has_value() || fold_->current().next_offset == stored_offset_) return std::nullopt;
  MutexLock lock(mu_);
  if (stage_ != Stage::kServing || deleting_) return std::nullopt;
  return MakeCapture();
}

void ModelActor::Folded(std::size_t bytes) {
  ++batches_since_snapshot_;
  bytes_since_snapshot_ += static_cast<std::int64_t>(bytes);
}

bool ModelActor::SnapshotDue() const {
  const SnapshotOptions& options = parts_.options;
  const bool due =
      (options.every_batches > 0 && batches_since_snapshot_ >= options.every_batches) ||
      (options.every_bytes > 0 && bytes_since_snapshot_ >= options.every_bytes);
  return due && !storing_.load(std::memory_order_relaxed);
}

Capture ModelActor::MakeCapture() const {
  return {.model = name(),
          .id = id(),
          .log = log(),
          .learner = fold_->learner(),
          .snapshot = fold_->current(),
          .ledger = EncodeLedger(fold_->ledger())};
}

// The capture is immutable: learning goes on while it is stored.
void ModelActor::TakeSnapshot(std::vector<SnapshotCallback> done) {
  batches_since_snapshot_ = 0;
  bytes_since_snapshot_ = 0;
  storing_ = true;
  parts_.snapshotter.Enqueue(MakeCapture(),
                             [self = shared_from_this(), done = std::move(done)](
                                 const absl::StatusOr<StoredSnapshot>& stored) mutable {
                               if (stored.ok()) self->stored_offset_ = stored->next_offset;
                               self->storing_ = false;
                               for (SnapshotCallback& callback : done) callback(stored);
                             });
}

}  // namespace prequel
