#include "server/rpc/learning/learn_stream_reactor.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/auth/quotas/quota_refusal.h"
#include "server/memory/shortage.h"
#include "server/rpc/grpc_error.h"
#include "server/rpc/learning/learn_call.h"
#include "server/rpc/resource_name.h"
#include "server/rpc/undecodable.h"
#include "server/wire/error_message.h"

namespace prequel {
namespace {

// How long a minibatch waits before it asks for room again.
constexpr std::chrono::milliseconds kRetryAfter{5};
// A stream that waits for a quota looks again after this long at the latest, so that it sees soon
// enough that it must end.
constexpr std::chrono::milliseconds kLongestRetry{500};

// RetryAfter is when to try again after a refusal for a quota, or for memory for what is in flight.
// Nothing when waiting does not help.
std::optional<std::chrono::milliseconds> RetryAfter(const absl::Status& status) {
  if (const auto refusal = QuotaRefusalOf(status)) return refusal->retry_after;
  const auto shortage = ShortageOf(status);
  if (!shortage || shortage->retry_after.count() == 0) return std::nullopt;
  return shortage->retry_after;
}

}  // namespace

LearnStreamCall::LearnStreamCall(grpc::CallbackServerContext* context, Engine& engine,
                                 OpenStreams& streams, const CallParts& parts,
                                 const LearnStreamBounds& bounds)
    : engine_(engine), streams_(streams), bounds_(bounds), call_(context, "LearnStream", parts) {
  if (streams_.Add(this, call_.who().caller) != OpenStreams::Added::kYes) Drain();
  Due due;
  {
    MutexLock lock(mu_);
    due = call_.admitted().ok() ? WhatIsDue() : Stop(call_.admitted());
  }
  Do(due);
}

void LearnStreamCall::Drain() {
  Due due;
  {
    MutexLock lock(mu_);
    due = Stop(absl::UnavailableError("the server is stopping"));
  }
  Do(due);
}

void LearnStreamCall::Revisit() {
  Due due;
  {
    MutexLock lock(mu_);
    if (stopping_ || finished_) return;
    if (const absl::Status status = call_.Renew(); !status.ok()) due = Stop(status);
  }
  Do(due);
}

LearnStreamCall::Due LearnStreamCall::Stop(const absl::Status& why) {
  if (!stopping_) why_ = why;
  stopping_ = true;
  return WhatIsDue();
}

void LearnStreamCall::OnReadDone(bool ok) {
  const auto bytes = static_cast<std::int64_t>(received_.Length());
  const bool decoded = ok && Decode(received_, request_);
  if (decoded && !request_.name().empty()) name_ = request_.name();
  std::int64_t index = -1;
  Due due;
  {
    MutexLock lock(mu_);
    const std::int64_t next = first_index_ + static_cast<std::int64_t>(answers_.size());
    const bool wanted = ok && !stopping_ && !broken_ && !finished_;
    if (wanted && decoded) {
      input_ = Input::kSubmitting;
      index = next;
      answers_.emplace_back();
      admitted_ = false;
      counted_ = false;
      call_.SetResource(name_);
    } else {
      input_ = Input::kEnded;
      if (ok && !finished_) call_.CountRequest(bytes);  // it is let go of
      due = wanted ? Stop(UndecodableError(absl::StrCat("message ", next),
                                           "/prequel.v1.LearningService/LearnStream"))
                   : WhatIsDue();
    }
  }
  if (index < 0) return Do(due);
  Submit(index);
}

absl::Status LearnStreamCall::Admit() {
  if (admitted_) return absl::OkStatus();
  absl::Status status = call_.Renew();
  if (!status.ok()) {
    if (!stopping_) why_ = status;
    stopping_ = true;
    return status;
  }
  if (!name_.empty()) status = call_.CheckModel(name_);
  if (!status.ok()) return status;
  absl::StatusOr<Call::Holding> holding =
      call_.Hold(Call::LoadOf(request_, RowsIn(request_.batch(), bounds_.max_rows).count));
  // Nobody waits for a quota while the stream ends.
  if (!holding.ok()) return stopping_ ? why_ : holding.status();
  answers_.back().holding = *std::move(holding);
  admitted_ = true;
  return absl::OkStatus();
}

void LearnStreamCall::Submit(std::int64_t index) {
  absl::Status admitted;
  {
    MutexLock lock(mu_);
    admitted = Admit();
    if (const auto pause = RetryAfter(admitted)) {
      input_ = Input::kWaiting;
      // The stream's own minibatches may be what is in the way: they will not be for long.
      return StartRetry(in_engine_ > 0 ? kRetryAfter
                                       : std::clamp(*pause, kRetryAfter, kLongestRetry));
    }
    CountOnce();
    ++in_engine_;
    if (admitted.ok()) submitter_ = std::this_thread::get_id();
  }
  if (!admitted.ok()) {
    OnAnswer(index, name_, admitted, [](v1::LearnStreamResponse&) {});
    return AfterSubmit();
  }
  if (!request_.producer().empty()) {
    Ask(index);
    return AfterSubmit();
  }
  const absl::StatusOr<std::string> model = ModelIdOf(name_);
  absl::StatusOr<Delivery> delivery = model.ok() ? MakeDelivery() : model.status();
  if (delivery.ok()) {
    delivery->done = [this, index, name = name_](const absl::StatusOr<LearnOutcome>& outcome) {
      OnAnswer(index, name, outcome.status(), [&](v1::LearnStreamResponse& answer) {
        LearnedToProto(*outcome, answer.mutable_learned());
        call_.CountRows(RowsOf(*outcome));
      });
    };
    engine_.Submit(*model, *std::move(delivery));
  } else {
    OnAnswer(index, name_, delivery.status(), [](v1::LearnStreamResponse&) {});
  }
  AfterSubmit();
}

absl::StatusOr<Delivery> LearnStreamCall::MakeDelivery() const {
  absl::StatusOr<Origin> origin = OriginFromProto("", producer_, request_.sequence());
  if (!origin.ok()) return origin.status();
  return DeliveryFromProto(request_.batch(), *std::move(origin), bounds_.max_rows,
                           call_.deadline());
}

absl::Status LearnStreamCall::CheckQuestion() const {
  if (request_.has_batch()) {
    return FieldError("producer", "must be named in a message without a batch");
  }
  if (request_.producer().size() > kMaxIdBytes) {
    return FieldError("producer", absl::StrCat("has more than ", kMaxIdBytes, " bytes"));
  }
  return absl::OkStatus();
}

void LearnStreamCall::Ask(std::int64_t index) {
  absl::Status status = CheckQuestion();
  const absl::StatusOr<std::string> model = ModelIdOf(name_);
  if (status.ok()) status = model.status();
  if (!status.ok()) return OnAnswer(index, name_, status, [](v1::LearnStreamResponse&) {});
  producer_ = request_.producer();
  engine_.AskNextSequence(*model, producer_, call_.deadline(),
                          [this, index, name = name_](const absl::StatusOr<std::int64_t>& next) {
                            OnAnswer(index, name, next.status(),
                                     [&](v1::LearnStreamResponse& answer) {
                                       answer.mutable_resume()->set_next_sequence(*next);
                                     });
                          });
}

// OnAnswer runs on the thread in Submit or on one of the engine's.
void LearnStreamCall::OnAnswer(std::int64_t index, const std::string& name,
                               const absl::Status& status, Fill fill) {
  const bool exhausted = absl::IsResourceExhausted(status);
  Due due;
  {
    MutexLock lock(mu_);
    // RESOURCE_EXHAUSTED on the thread in Submit means a full queue, which will have room again.
    if (exhausted && submitter_ == std::this_thread::get_id()) {
      --in_engine_;
      no_room_ = true;
      return;
    }
    SetAnswer(index, name, status, fill);
    due = WhatIsDue();
  }
  Do(due);
}

void LearnStreamCall::SetAnswer(std::int64_t index, const std::string& name,
                                const absl::Status& status, Fill fill) {
  --in_engine_;
  Answer& answer = answers_[static_cast<std::size_t>(index - first_index_)];
  answer.ready = true;
  answer.response.set_index(index);
  if (status.ok()) {
    fill(answer.response);
  } else {
    *answer.response.mutable_error() = RpcError(status, name);
  }
  call_.GiveBack(std::exchange(answer.holding, {}));
  call_.CountResponse(answer.response);
}

void LearnStreamCall::AfterSubmit() {
  Due due;
  {
    MutexLock lock(mu_);
    submitter_ = {};
    if (std::exchange(no_room_, false)) {
      input_ = Input::kWaiting;
      StartRetry(kRetryAfter);
      return;
    }
    input_ = Input::kIdle;
    due = WhatIsDue();
  }
  Do(due);
}

void LearnStreamCall::StartRetry(std::chrono::milliseconds pause) {
  retry_ = std::make_unique<grpc::Alarm>();
  retry_->Set(std::chrono::system_clock::now() + pause, [this](bool) { Retry(); });
}

void LearnStreamCall::CountOnce() {
  if (!std::exchange(counted_, true)) call_.CountRequest(request_);
}

void LearnStreamCall::Retry() {
  std::int64_t index = -1;
  Due due;
  {
    MutexLock lock(mu_);
    if (broken_) {
      CountOnce();
      input_ = Input::kEnded;
      due = WhatIsDue();
    } else {
      input_ = Input::kSubmitting;
      index = first_index_ + static_cast<std::int64_t>(answers_.size()) - 1;
    }
  }
  if (index < 0) return Do(due);
  Submit(index);
}

// gRPC never calls a reactor back from within StartRead, so the lock may be held.
LearnStreamCall::Due LearnStreamCall::WhatIsDue() {
  Due due;
  const bool room = answers_.size() < static_cast<std::size_t>(bounds_.window);
  if (input_ == Input::kIdle && room && !stopping_ && !broken_) {
    input_ = Input::kReading;
    StartRead(&received_);
  }
  if (!writing_ && !broken_ && !answers_.empty() && answers_.front().ready) {
    writing_ = true;
    due.write = &answers_.front().response;
  } else if (MustFinish()) {
    finished_ = true;
    due.finish = FinalStatus();
  }
  return due;
}

// A write may go to the socket, so the lock is not held.
void LearnStreamCall::Do(const Due& due) {
  if (due.write != nullptr) {
    sent_ = Encode(*due.write);
    StartWrite(&sent_);
  }
  if (due.finish) Finish(call_.End(*due.finish));
}

bool LearnStreamCall::MustFinish() const {
  if (finished_ || writing_ || in_engine_ > 0) return false;
  if (input_ == Input::kSubmitting || input_ == Input::kWaiting) return false;
  if (broken_) return input_ != Input::kReading;
  // A read that is outstanding when a stopping stream finishes ends with it.
  return answers_.empty() && (input_ == Input::kEnded || stopping_);
}

absl::Status LearnStreamCall::FinalStatus() const {
  if (broken_) return absl::CancelledError("the client has gone");
  return why_;
}

void LearnStreamCall::OnWriteDone(bool ok) {
  sent_.Clear();
  Due due;
  {
    MutexLock lock(mu_);
    writing_ = false;
    answers_.pop_front();
    ++first_index_;
    if (!ok) broken_ = true;
    due = WhatIsDue();
  }
  Do(due);
}

void LearnStreamCall::OnCancel() {
  Due due;
  {
    MutexLock lock(mu_);
    broken_ = true;
    due = WhatIsDue();
  }
  Do(due);
}

void LearnStreamCall::OnDone() {
  streams_.Remove(this);
  delete this;
}

}  // namespace prequel
