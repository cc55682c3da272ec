#include "server/engine/actor/inbox.h"

#include <utility>

namespace prequel {

bool Inbox::Put(std::unique_ptr<Delivery> delivery) {
  MutexLock lock(mu_);
  deliveries_.push_back(std::move(delivery));
  return !std::exchange(awake_, true);
}

bool Inbox::Put(SnapshotCallback& done) {
  MutexLock lock(mu_);
  if (closed_) return false;
  snapshots_.push_back(std::exchange(done, nullptr));
  return !std::exchange(awake_, true);
}

std::optional<Inbox::Work> Inbox::NextOrSleep() {
  MutexLock lock(mu_);
  if (deliveries_.empty() && snapshots_.empty()) {
    awake_ = false;
    return std::nullopt;
  }
  Work work;
  work.snapshots.swap(snapshots_);
  if (!deliveries_.empty()) {
    work.delivery = std::move(deliveries_.front());
    deliveries_.pop_front();
  }
  return work;
}

Inbox::Leftovers Inbox::Close() {
  MutexLock lock(mu_);
  closed_ = true;
  Leftovers leftovers;
  leftovers.deliveries.swap(deliveries_);
  leftovers.snapshots.swap(snapshots_);
  return leftovers;
}

}  // namespace prequel
