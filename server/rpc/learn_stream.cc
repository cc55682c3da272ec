#include "server/rpc/learn_stream.h"

#include <utility>

#include "absl/strings/str_cat.h"

#include "server/rpc/grpc_error.h"
#include "server/rpc/learn_call.h"
#include "server/rpc/resource_name.h"
#include "server/wire/error.h"

namespace prequel {
namespace {

// How long a minibatch waits before it asks the engine for room again.
constexpr std::chrono::milliseconds kRetryAfter{5};

}  // namespace

LearnStreamCall::LearnStreamCall(grpc::CallbackServerContext* context, Engine& engine,
                                 OpenStreams& streams, CallObserver& observer,
                                 const LearnStreamBounds& bounds)
    : engine_(engine),
      streams_(streams),
      observer_(observer),
      bounds_(bounds),
      deadline_(context->deadline()),
      start_(std::chrono::steady_clock::now()) {
  if (!streams_.Add(this)) Drain();
  Advance();
}

void LearnStreamCall::Drain() {
  {
    MutexLock lock(mu_);
    draining_ = true;
  }
  Advance();
}

void LearnStreamCall::OnReadDone(bool ok) {
  if (ok && !request_.name().empty()) name_ = request_.name();
  std::int64_t index = -1;
  {
    MutexLock lock(mu_);
    if (!ok || draining_ || broken_ || finished_) {
      input_ = Input::kEnded;
    } else {
      input_ = Input::kSubmitting;
      index = first_index_ + static_cast<std::int64_t>(answers_.size());
      answers_.emplace_back();
    }
  }
  if (index < 0) return Advance();
  Submit(index);
}

void LearnStreamCall::Submit(std::int64_t index) {
  {
    MutexLock lock(mu_);
    ++in_engine_;
    submitter_ = std::this_thread::get_id();
  }
  if (!request_.producer().empty()) {
    Ask(index);
    return AfterSubmit();
  }
  absl::StatusOr<Submission> submission = MakeSubmission();
  if (submission.ok()) {
    engine_.Submit(submission->model, std::move(submission->request),
                   [this, index, name = name_](const absl::StatusOr<LearnOutcome>& outcome) {
                     OnAnswer(index, name, outcome.status(), [&](v1::LearnStreamResponse& answer) {
                       LearnedToProto(*outcome, answer.mutable_learned());
                     });
                   });
  } else {
    OnAnswer(index, name_, submission.status(), [](v1::LearnStreamResponse&) {});
  }
  AfterSubmit();
}

absl::StatusOr<Submission> LearnStreamCall::MakeSubmission() const {
  absl::StatusOr<Origin> origin = OriginFromProto("", producer_, request_.sequence());
  if (!origin.ok()) return origin.status();
  return SubmissionFromProto(name_, request_.batch(), *std::move(origin), bounds_.max_rows,
                             deadline_);
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
  engine_.AskNextSequence(*model, producer_, deadline_,
                          [this, index, name = name_](const absl::StatusOr<std::int64_t>& next) {
                            OnAnswer(index, name, next.status(),
                                     [&](v1::LearnStreamResponse& answer) {
                                       answer.mutable_resume()->set_next_sequence(*next);
                                     });
                          });
}

// On the thread in Submit or on one of the engine's.
void LearnStreamCall::OnAnswer(std::int64_t index, const std::string& name,
                               const absl::Status& status, Fill fill) {
  const bool exhausted = absl::IsResourceExhausted(status);
  {
    MutexLock lock(mu_);
    // On the thread in Submit it is a queue that is full, and will not be.
    if (exhausted && submitter_ == std::this_thread::get_id()) {
      --in_engine_;
      no_room_ = true;
      return;
    }
    SetAnswer(index, name, status, fill);
  }
  Advance();
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
}

void LearnStreamCall::AfterSubmit() {
  {
    MutexLock lock(mu_);
    submitter_ = {};
    if (std::exchange(no_room_, false)) {
      input_ = Input::kWaiting;
      StartRetry();
      return;
    }
    input_ = Input::kIdle;
  }
  Advance();
}

void LearnStreamCall::StartRetry() {
  retry_ = std::make_unique<grpc::Alarm>();
  retry_->Set(std::chrono::system_clock::now() + kRetryAfter, [this](bool) { Retry(); });
}

void LearnStreamCall::Retry() {
  std::int64_t index = -1;
  {
    MutexLock lock(mu_);
    if (broken_) {
      input_ = Input::kEnded;
    } else {
      input_ = Input::kSubmitting;
      index = first_index_ + static_cast<std::int64_t>(answers_.size()) - 1;
    }
  }
  if (index < 0) return Advance();
  Submit(index);
}

// gRPC never calls a reactor back from within StartRead or Finish, so the lock may be held; a
// write may go to the socket and is started without it, while writing_ keeps the call alive.
void LearnStreamCall::Advance() {
  const v1::LearnStreamResponse* write = nullptr;
  {
    MutexLock lock(mu_);
    const bool room = answers_.size() < static_cast<std::size_t>(bounds_.window);
    if (input_ == Input::kIdle && room && !draining_ && !broken_) {
      input_ = Input::kReading;
      StartRead(&request_);
    }
    if (!writing_ && !broken_ && !answers_.empty() && answers_.front().ready) {
      writing_ = true;
      write = &answers_.front().response;
    } else if (MustFinish()) {
      finished_ = true;
      const grpc::Status status = FinalStatus();
      code_ = status.error_code();
      Finish(status);
    }
  }
  if (write != nullptr) StartWrite(write);
}

bool LearnStreamCall::MustFinish() const {
  if (finished_ || writing_ || in_engine_ > 0) return false;
  if (input_ == Input::kSubmitting || input_ == Input::kWaiting) return false;
  if (broken_) return input_ != Input::kReading;
  // A read that is outstanding when a draining stream finishes ends with it.
  return answers_.empty() && (input_ == Input::kEnded || draining_);
}

grpc::Status LearnStreamCall::FinalStatus() const {
  if (broken_) return {grpc::StatusCode::CANCELLED, "the client has gone"};
  if (!draining_) return grpc::Status::OK;
  return GrpcStatus(absl::UnavailableError("the server is stopping"), "");
}

void LearnStreamCall::OnWriteDone(bool ok) {
  {
    MutexLock lock(mu_);
    writing_ = false;
    answers_.pop_front();
    ++first_index_;
    if (!ok) broken_ = true;
  }
  Advance();
}

void LearnStreamCall::OnCancel() {
  {
    MutexLock lock(mu_);
    broken_ = true;
  }
  Advance();
}

void LearnStreamCall::OnDone() {
  streams_.Remove(this);
  grpc::StatusCode code;
  {
    MutexLock lock(mu_);  // whoever called Finish has let go of it
    code = code_;
  }
  observer_.OnCall("LearnStream", CodeName(code), std::chrono::steady_clock::now() - start_);
  delete this;
}

}  // namespace prequel
