// What readers see of a model, and whom to tell when it changes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/learner/learner.h"
#include "server/engine/fold/published.h"
#include "server/sync/mutex.h"

namespace prequel {

class Publication;

// How far the start of a model has come: of the `records` that follow its snapshot in the log,
// `folded` have been folded again.
struct ReplayProgress {
  std::int64_t folded = 0;
  std::int64_t records = 0;

  bool operator==(const ReplayProgress&) const = default;
};

// A Subscription is one wait for a revision. Destroying it changes nothing.
class Subscription {
 public:
  Subscription() = default;

  // Once Cancel returns true, `then` has not been called and will not be.
  bool Cancel();

 private:
  friend class Publication;
  using Key = std::pair<std::int64_t, std::uint64_t>;  // the revision, and a number of its own
  Subscription(std::weak_ptr<Publication> publication, Key key)
      : publication_(std::move(publication)), key_(key) {}

  std::weak_ptr<Publication> publication_;
  Key key_;
};

// Publication is thread-safe; one thread at a time publishes. Readers never wait for that thread,
// nor it for them: nobody holds the lock for longer than a few pointer moves. Always owned by a
// shared_ptr.
class Publication : public std::enable_shared_from_this<Publication> {
 public:
  // What a reader works with: immutable.
  struct View {
    std::shared_ptr<const Learner> learner;
    Published published;
  };
  // A Glimpse is all that there is to see of a model, whether it can be read or not: what is not
  // known is null.
  struct Glimpse {
    View view;
    absl::Status problem;                  // OK: it can be read
    std::optional<ReplayProgress> replay;  // until something has been published, or never will be
  };
  // A Then is called once, on the thread that publishes or ends, or within Await. Must not block.
  using Then = absl::AnyInvocable<void(const absl::Status&)>;

  // `problem`: why there is nothing to read yet.
  explicit Publication(absl::Status problem) : problem_(std::move(problem)) {}

  // The newest view, or the problem.
  absl::StatusOr<View> Load() const;
  Glimpse Peek() const;
  // OK once something has been published.
  absl::Status problem() const;

  // Await calls `then` with OK once `revision` has been published, or with why it never will be:
  // the problem, or what End was given. Waiting costs nothing.
  Subscription Await(std::int64_t revision, Then then);

  // Introduce makes the learner known before there is a state.
  void Introduce(std::shared_ptr<const Learner> learner);
  void Report(const ReplayProgress& replay);
  // Publish: readers see `next` from now on, and whoever waits for its revision is told.
  void Publish(const Published& next);
  // Fail: nothing is published, nor will be.
  void Fail(const absl::Status& problem);
  // End: no further revision is to be expected. What has been published can still be read.
  void End(const absl::Status& status);

 private:
  friend class Subscription;
  using Waiting = std::map<Subscription::Key, Then>;

  bool Cancel(const Subscription::Key& key);

  mutable Mutex mu_;
  absl::Status problem_ ABSL_GUARDED_BY(mu_);
  absl::Status ended_ ABSL_GUARDED_BY(mu_);
  std::optional<ReplayProgress> replay_ ABSL_GUARDED_BY(mu_) = ReplayProgress();
  View newest_ ABSL_GUARDED_BY(mu_);
  Waiting waiting_ ABSL_GUARDED_BY(mu_);
  std::uint64_t subscriptions_ ABSL_GUARDED_BY(mu_) = 0;  // ever
};

}  // namespace prequel
