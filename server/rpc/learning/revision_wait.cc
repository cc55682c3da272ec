#include "server/rpc/learning/revision_wait.h"

#include <grpcpp/alarm.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/sync/mutex.h"

namespace prequel {
namespace {

// Three may end a RevisionWait: the model's publication, the timer and the client. Each holds it
// until then; the first one counts, and calls the others off.
class RevisionWait : public std::enable_shared_from_this<RevisionWait> {
 public:
  using Then = absl::AnyInvocable<void(const absl::Status&)>;

  RevisionWait(const Engine& engine, TimePoint deadline, std::string model, std::int64_t revision,
               Then then)
      : engine_(engine),
        model_(std::move(model)),
        revision_(revision),
        deadline_(std::min(deadline, std::chrono::system_clock::now() + kLongestWait)),
        then_(std::move(then)) {}

  // `watched` null: nobody is told when the client goes.
  void Begin(const UnaryCall* watched) {
    const auto self = shared_from_this();
    // The client is watched first: from the next line on the call may be finished at any time.
    if (watched != nullptr) watched->OnceCancelled([self] { self->End(self->Gone()); });
    Subscription subscription = engine_.AwaitRevision(
        model_, revision_, [self](const absl::Status& status) { self->End(status); });
    MutexLock lock(mu_);
    if (ended_) return;
    subscription_ = std::move(subscription);
    // The alarm keeps what it calls, and is kept by it: so it gives that up when it has called.
    alarm_.Set(deadline_, [kept = self](bool expired) mutable {
      const auto wait = std::exchange(kept, nullptr);
      if (expired) wait->End(wait->Late());
    });
  }

 private:
  void End(const absl::Status& status) {
    Subscription subscription;
    {
      MutexLock lock(mu_);
      if (std::exchange(ended_, true)) return;
      subscription = std::exchange(subscription_, {});
      alarm_.Cancel();
    }
    (void)subscription.Cancel();
    then_(status);
  }

  // Gone is why a cancelled call ends: gRPC cancels a call at its deadline as well.
  absl::Status Gone() const {
    if (std::chrono::system_clock::now() >= deadline_) return Late();
    return absl::CancelledError("the client has gone");
  }

  absl::Status Late() const {
    const absl::StatusOr<Published> published = engine_.GetPublished(model_);
    if (!published.ok()) return published.status();
    return absl::DeadlineExceededError(
        absl::StrCat("the model is at revision ", published->revision, ", not yet at ", revision_));
  }

  const Engine& engine_;
  const std::string model_;
  const std::int64_t revision_;
  const TimePoint deadline_;
  Then then_;  // for whoever ends it

  Mutex mu_;
  bool ended_ ABSL_GUARDED_BY(mu_) = false;
  Subscription subscription_ ABSL_GUARDED_BY(mu_);
  grpc::Alarm alarm_ ABSL_GUARDED_BY(mu_);
};

}  // namespace

void AwaitRevision(const Engine& engine, const UnaryCall& call, const std::string& model,
                   std::int64_t revision, absl::AnyInvocable<void()> then) {
  auto answer = [call, then = std::move(then)](const absl::Status& status) mutable {
    status.ok() ? then() : call.Finish(status);
  };
  std::make_shared<RevisionWait>(engine, call.deadline(), model, revision, std::move(answer))
      ->Begin(&call);
}

void AwaitRevision(const Engine& engine, TimePoint deadline, const std::string& model,
                   std::int64_t revision, absl::AnyInvocable<void(const absl::Status&)> then) {
  std::make_shared<RevisionWait>(engine, deadline, model, revision, std::move(then))
      ->Begin(nullptr);
}

}  // namespace prequel
