#include "server/rpc/revision_wait.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"

namespace prequel {
namespace {

constexpr std::chrono::milliseconds kShortestPause{1}, kLongestPause{16};

class RevisionWait : public std::enable_shared_from_this<RevisionWait> {
 public:
  RevisionWait(const Engine& engine, const UnaryCall& call, std::string model,
               std::int64_t revision, absl::AnyInvocable<void()> then)
      : engine_(engine),
        call_(call),
        model_(std::move(model)),
        revision_(revision),
        deadline_(std::min(call.deadline(), std::chrono::system_clock::now() + kLongestWait)),
        then_(std::move(then)) {}

  void Look() {
    const TimePoint now = std::chrono::system_clock::now();
    const absl::StatusOr<bool> there = IsThere(now);
    if (there.ok() && !*there) return LookAgain(now);
    // It has the callback, which has this, which has it.
    alarm_.reset();
    if (!there.ok()) return call_.Finish(there.status());
    then_();
  }

 private:
  absl::StatusOr<bool> IsThere(TimePoint now) const {
    const absl::StatusOr<Snapshot> snapshot = engine_.GetSnapshot(model_);
    if (!snapshot.ok()) return snapshot.status();
    if (snapshot->revision >= revision_) return true;
    if (now >= deadline_) {
      return absl::DeadlineExceededError(absl::StrCat(
          "the model is at revision ", snapshot->revision, ", not yet at ", revision_));
    }
    if (absl::Status wanted = call_.CheckWanted(); !wanted.ok()) return wanted;
    return false;
  }

  // After Set the next look may be under way already: nothing here may follow it.
  void LookAgain(TimePoint now) {
    const TimePoint then = std::min(now + pause_, deadline_);
    pause_ = std::min(2 * pause_, kLongestPause);
    alarm_ = std::make_unique<grpc::Alarm>();
    alarm_->Set(then, [self = shared_from_this()](bool) { self->Look(); });
  }

  const Engine& engine_;
  const UnaryCall call_;
  const std::string model_;
  const std::int64_t revision_;
  const TimePoint deadline_;
  absl::AnyInvocable<void()> then_;
  std::chrono::milliseconds pause_ = kShortestPause;
  std::unique_ptr<grpc::Alarm> alarm_;
};

}  // namespace

void AwaitRevision(const Engine& engine, const UnaryCall& call, const std::string& model,
                   std::int64_t revision, absl::AnyInvocable<void()> then) {
  std::make_shared<RevisionWait>(engine, call, model, revision, std::move(then))->Look();
}

}  // namespace prequel
