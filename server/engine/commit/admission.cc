#include "server/engine/commit/admission.h"

#include "absl/strings/str_cat.h"

namespace prequel {
namespace {

absl::Status Closed() { return absl::UnavailableError("the server is shutting down"); }

}  // namespace

absl::StatusOr<Admission::Ticket> Admission::Admit(Account& account, std::size_t bytes) {
  MutexLock lock(mu_);
  if (closed_) return Closed();
  if (account.batches_ >= max_batches_) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the model's queue is full (", max_batches_, " minibatches)"));
  }
  if (batches_ > 0 && bytes_ + bytes > max_bytes_) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the memory for queued minibatches is full (", max_bytes_, " bytes)"));
  }
  ++account.batches_;
  ++batches_;
  bytes_ += bytes;
  observers_.Tell(&EngineObserver::OnQueueDepth, batches_, bytes_);
  return Ticket(this, &account, bytes);
}

absl::Status Admission::CheckOpen() const {
  MutexLock lock(mu_);
  return closed_ ? Closed() : absl::OkStatus();
}

void Admission::Close() {
  MutexLock lock(mu_);
  closed_ = true;
}

bool Admission::AwaitIdle(TimePoint deadline) {
  MutexLock lock(mu_);
  while (batches_ > 0) {
    if (!idle_.WaitUntil(mu_, deadline)) return batches_ == 0;
  }
  return true;
}

void Admission::Release(Account& account, std::size_t bytes) {
  MutexLock lock(mu_);
  --account.batches_;
  --batches_;
  bytes_ -= bytes;
  observers_.Tell(&EngineObserver::OnQueueDepth, batches_, bytes_);
  if (batches_ == 0) idle_.NotifyAll();
}

}  // namespace prequel
