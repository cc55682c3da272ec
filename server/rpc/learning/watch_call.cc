#include "server/rpc/learning/watch_call.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "server/rpc/resource_name.h"
#include "server/wire/error_message.h"
#include "server/wire/evaluation_message.h"

namespace prequel {
namespace {

using std::chrono::steady_clock;

constexpr std::int64_t kLongestInterval = 24 * 3600;  // seconds

absl::Status TooManyWatches() {
  return absl::ResourceExhaustedError(
      "as many evaluations are being watched as may be at once, or by one caller; try again when "
      "one is done");
}

}  // namespace

absl::Status EvaluationOf(const Engine& engine, const std::string& model,
                          v1::GetEvaluationResponse* response) {
  const absl::StatusOr<ModelInfo> info = engine.GetModel(model);
  if (!info.ok()) return info.status();
  if (!info->problem.ok()) return info->problem;
  response->Clear();
  response->set_revision(info->published.revision);
  wire::EvaluationToProto(*info->learner, *info->published.state, response);
  return absl::OkStatus();
}

grpc::ServerWriteReactor<v1::GetEvaluationResponse>* WatchCall::Start(
    grpc::CallbackServerContext* context, const v1::WatchEvaluationRequest& request,
    const WatchParts& parts) {
  auto call = std::make_shared<WatchCall>(context, request, parts);
  WatchCall* const reactor = call.get();
  reactor->self_ = std::move(call);
  reactor->Begin(request);
  return reactor;
}

WatchCall::WatchCall(grpc::CallbackServerContext* context,
                     const v1::WatchEvaluationRequest& request, const WatchParts& parts)
    : parts_(parts), interval_(parts.min_interval), call_(context, "WatchEvaluation", parts.calls) {
  call_.SetResource(request.name());
  call_.CountRequest(request);
}

absl::Status WatchCall::Check(const v1::WatchEvaluationRequest& request) {
  absl::Status status = call_.admitted();
  if (status.ok()) status = call_.CheckModel(request.name());
  if (!status.ok()) return status;
  absl::StatusOr<std::string> model = ModelIdOf(request.name());
  if (!model.ok()) return model.status();
  model_ = *std::move(model);
  status = call_.Take(Call::LoadOf(request));
  if (!status.ok()) return status;
  const std::int64_t seconds = request.min_interval().seconds();
  const std::int32_t nanos = request.min_interval().nanos();
  if (seconds < 0 || nanos < 0 || seconds > kLongestInterval || nanos >= 1'000'000'000) {
    return FieldError("min_interval", "must be from 0 to 24 hours");
  }
  interval_ = std::max<std::chrono::nanoseconds>(
      interval_, std::chrono::seconds(seconds) + std::chrono::nanoseconds(nanos));
  return status;
}

void WatchCall::Begin(const v1::WatchEvaluationRequest& request) {
  const auto kept = shared_from_this();
  absl::Status status;
  {
    MutexLock lock(mu_);
    status = Check(request);
  }
  switch (parts_.streams.Add(this, call_.who().caller)) {
    case OpenStreams::Added::kYes:
      break;
    case OpenStreams::Added::kDraining:
      if (status.ok()) status = absl::UnavailableError("the server is stopping");
      break;
    case OpenStreams::Added::kTooMany:
      if (status.ok()) status = TooManyWatches();
      break;
  }
  if (!status.ok()) Stop(status);
  Evaluate();
}

void WatchCall::Evaluate() {
  absl::Status status;
  {
    MutexLock lock(mu_);
    if (!why_.has_value()) {
      if (const absl::Status renewed = Renew(); !renewed.ok()) why_ = renewed;
    }
    if (why_.has_value()) status = *why_;
  }
  if (status.ok()) status = EvaluationOf(parts_.engine, model_, &response_);
  bool finish = false;
  {
    MutexLock lock(mu_);
    if (!why_.has_value() && !status.ok()) why_ = status;
    if (why_.has_value()) {
      status = *why_;
      finish = EndNow();
    } else {
      phase_ = Phase::kWriting;
      sent_ = response_.revision();
      due_ = steady_clock::now() + std::chrono::duration_cast<steady_clock::duration>(interval_);
      call_.CountResponse(response_);
      held_ = static_cast<std::int64_t>(response_.ByteSizeLong());
      call_.CountMemory(kCopiesOfAnswer * held_);
    }
  }
  if (finish) return Finish(call_.End(status));
  call_.BeginWait(wait_, held_);
  StartWrite(&response_);
}

void WatchCall::OnWriteDone(bool ok) {
  wait_.End();
  absl::Status status;
  bool finish = false;
  {
    MutexLock lock(mu_);
    call_.CountMemory(-kCopiesOfAnswer * std::exchange(held_, 0));
    if (!ok && !why_.has_value()) why_ = absl::CancelledError("the client has gone");
    if (why_.has_value()) {
      status = *why_;
      finish = EndNow();
    } else {
      phase_ = Phase::kAwaiting;
    }
  }
  if (finish) return Finish(call_.End(status));
  Await();
}

void WatchCall::Await() {
  std::int64_t round = 0, next = 0;
  {
    MutexLock lock(mu_);
    round = ++round_;
    next = sent_ + 1;
  }
  Subscription subscription = parts_.engine.AwaitRevision(
      model_, next,
      [self = shared_from_this()](const absl::Status& status) { self->OnRevision(status); });
  {
    MutexLock lock(mu_);
    if (phase_ == Phase::kAwaiting && round == round_) {
      subscription_ = std::move(subscription);
      return;
    }
  }
  // The revision has come already, or the call has ended, in the meantime.
  (void)subscription.Cancel();
}

// OnRevision runs on the thread that publishes, so it leaves the rest to one of gRPC's.
void WatchCall::OnRevision(const absl::Status& status) {
  {
    MutexLock lock(mu_);
    if (phase_ != Phase::kAwaiting) return;
    if (status.ok()) {
      phase_ = Phase::kPausing;
      pause_ = std::make_unique<grpc::Alarm>();
      // The alarm keeps what it calls, and is kept by it: so it gives that up when it has called.
      const auto left = std::max(due_ - steady_clock::now(), steady_clock::duration::zero());
      pause_->Set(std::chrono::system_clock::now() + left,
                  [kept = shared_from_this()](bool) mutable {
                    const auto call = std::exchange(kept, nullptr);
                    call->OnPauseOver();
                  });
      return;
    }
  }
  Stop(status);
}

void WatchCall::OnPauseOver() {
  {
    MutexLock lock(mu_);
    if (phase_ != Phase::kPausing) return;
    phase_ = Phase::kEvaluating;
  }
  Evaluate();
}

bool WatchCall::EndNow() {
  if (phase_ == Phase::kEnded) return false;
  phase_ = Phase::kEnded;
  return true;
}

void WatchCall::Stop(const absl::Status& why) {
  Subscription subscription;
  bool finish = false;
  {
    MutexLock lock(mu_);
    if (why_.has_value() || phase_ == Phase::kEnded) return;
    why_ = why;
    if (phase_ == Phase::kEvaluating || phase_ == Phase::kWriting) return;
    finish = EndNow();
    subscription = std::exchange(subscription_, {});
    if (pause_ != nullptr) pause_->Cancel();
  }
  (void)subscription.Cancel();
  if (finish) Finish(call_.End(why));
}

void WatchCall::Drain() { Stop(absl::UnavailableError("the server is stopping")); }

absl::Status WatchCall::Renew() const {
  const absl::Status status = call_.Renew();
  return status.ok() ? call_.CheckModel(model_) : status;
}

void WatchCall::Revisit() {
  absl::Status status;
  {
    MutexLock lock(mu_);
    if (why_.has_value() || phase_ == Phase::kEnded) return;
    status = Renew();
  }
  if (!status.ok()) Stop(status);
}

void WatchCall::OnCancel() {
  absl::Status status;
  {
    MutexLock lock(mu_);
    if (phase_ == Phase::kEnded) return;
    status = call_.CheckWanted();
  }
  // gRPC cancels a call at its deadline as well: CheckWanted tells the two apart.
  Stop(status.ok() ? absl::CancelledError("the client has gone") : status);
}

void WatchCall::OnDone() {
  parts_.streams.Remove(this);
  self_.reset();
}

}  // namespace prequel
