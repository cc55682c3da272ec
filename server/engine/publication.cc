#include "server/engine/publication.h"

namespace prequel {

bool Subscription::Cancel() {
  const std::shared_ptr<Publication> publication = publication_.lock();
  return publication != nullptr && publication->Cancel(key_);
}

absl::Status Publication::problem() const {
  MutexLock lock(mu_);
  return problem_;
}

absl::StatusOr<Publication::View> Publication::Load() const {
  MutexLock lock(mu_);
  if (!problem_.ok()) return problem_;
  return newest_;
}

Publication::Glimpse Publication::Peek() const {
  MutexLock lock(mu_);
  return {.view = newest_, .problem = problem_, .replay = replay_};
}

Subscription Publication::Await(std::int64_t revision, Then then) {
  absl::Status status;
  {
    MutexLock lock(mu_);
    const bool there = problem_.ok() && newest_.published.revision >= revision;
    status = problem_.ok() ? ended_ : problem_;
    if (there) status = absl::OkStatus();
    if (!there && status.ok()) {
      const Subscription::Key key(revision, ++subscriptions_);
      waiting_.emplace(key, std::move(then));
      return {weak_from_this(), key};
    }
  }
  then(status);
  return {};
}

bool Publication::Cancel(const Subscription::Key& key) {
  Waiting::node_type cancelled;  // destroyed without the lock
  MutexLock lock(mu_);
  cancelled = waiting_.extract(key);
  return !cancelled.empty();
}

void Publication::Introduce(std::shared_ptr<const Learner> learner) {
  MutexLock lock(mu_);
  newest_.learner = std::move(learner);
}

void Publication::Report(const ReplayProgress& replay) {
  MutexLock lock(mu_);
  replay_ = replay;
}

void Publication::Publish(const Published& next) {
  Published replaced = next;  // then the one before, given up without the lock
  std::vector<Waiting::node_type> there;
  {
    MutexLock lock(mu_);
    std::swap(newest_.published, replaced);
    problem_ = absl::OkStatus();
    replay_.reset();
    while (!waiting_.empty() && waiting_.begin()->first.first <= next.revision) {
      there.push_back(waiting_.extract(waiting_.begin()));
    }
  }
  for (Waiting::node_type& waiter : there) waiter.mapped()(absl::OkStatus());
}

void Publication::Fail(const absl::Status& problem) {
  MutexLock lock(mu_);
  problem_ = problem;
  replay_.reset();
}

void Publication::End(const absl::Status& status) {
  Waiting told;
  {
    MutexLock lock(mu_);
    ended_ = status;
    told.swap(waiting_);
  }
  for (auto& [key, then] : told) then(status);
}

}  // namespace prequel
