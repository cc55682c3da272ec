#include "client/learn_stream.h"

#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/call_error.h"
#include "client/learn_stream_call.h"
#include "client/rpc_status.h"
#include "client/unique_id.h"

namespace prequel::client {
namespace {

absl::Status ErrorOf(const v1::LearnStreamResponse& answer) {
  absl::Status error = StatusFromProto(answer.error());
  return error.ok() ? absl::UnknownError("refused without a reason") : error;
}

LearnStreamOptions WithProducer(LearnStreamOptions options) {
  if (options.producer.empty()) options.producer = UniqueId();
  return options;
}

}  // namespace

LearnStream::LearnStream(Opener open, const LearnStreamOptions& options, AckHandler on_ack)
    : open_(std::move(open)),
      options_(WithProducer(options)),
      on_ack_(std::move(on_ack)),
      backoff_(options.retry) {
  Connect();
}

LearnStream::~LearnStream() = default;

void LearnStream::Connect() {
  call_ = open_(options_.producer);
  resumed_ = false;
  written_ = 0;
  index_ = 0;
  lost_ = absl::OkStatus();
}

absl::StatusOr<std::int64_t> LearnStream::NextSequence() {
  if (!Await([this] { return first_ > 0; })) return outcome_;
  return first_ + sent();
}

absl::Status LearnStream::Send(v1::Batch batch) {
  const auto room = [this] {
    return first_ > 0 && unanswered_.size() < static_cast<std::size_t>(options_.max_in_flight);
  };
  if (closed_ && outcome_.ok()) return absl::FailedPreconditionError("Send after Finish");
  if (!Await(room)) return outcome_;
  auto request = std::make_shared<v1::LearnStreamRequest>();
  *request->mutable_batch() = std::move(batch);
  request->set_sequence(first_ + sent());
  unanswered_.push_back(std::move(request));
  return Await([this] { return written_ == unanswered_.size(); }) ? absl::OkStatus() : outcome_;
}

absl::Status LearnStream::Finish() {
  if (!Await([this] { return resumed_ && unanswered_.empty() && !call_->writing(); })) {
    return outcome_;
  }
  call_->WritesDone();
  absl::Status status = HowItEnded();
  // All is answered: it does not matter that the server was in a hurry.
  if (IsTransient(status)) status = absl::OkStatus();
  Close(status);
  return outcome_;
}

absl::Status LearnStream::HowItEnded() {
  for (;;) {
    const std::uint64_t version = call_->version();
    (void)call_->TakeAnswers();
    if (call_->ended()) break;
    if (!call_->WaitForChange(version, options_.stall_timeout)) call_->Cancel();
  }
  return StatusFromGrpc(call_->Join());
}

bool LearnStream::Await(const std::function<bool()>& ready) {
  while (!closed_) {
    const std::uint64_t version = call_->version();
    TakeAnswers();
    if (closed_) break;
    if (!lost_.ok()) {
      Recover(lost_);
    } else if (call_->ended()) {
      Recover(StatusFromGrpc(call_->Join()));
    } else {
      WriteNext();
      if (ready()) return true;
      if (!call_->WaitForChange(version, options_.stall_timeout)) {
        Fail(absl::StatusCode::kDeadlineExceeded,
             absl::StrCat("the server answered nothing for ", options_.stall_timeout.count(),
                          " ms; ", unanswered_.size(), " minibatches are unanswered"));
      }
    }
  }
  return false;
}

void LearnStream::TakeAnswers() {
  for (v1::LearnStreamResponse& answer : call_->TakeAnswers()) {
    if (answer.index() != index_ || (resumed_ && written_ == 0)) {
      return Fail(absl::StatusCode::kInternal,
                  absl::StrCat("the server answered request ", answer.index(), " where ", index_,
                               " was due"));
    }
    ++index_;
    if (answer.has_error() && IsTransient(ErrorOf(answer))) {
      lost_ = ErrorOf(answer);
      return;
    }
    if (!resumed_) {
      TakeResume(answer);
    } else {
      TakeAnswer(std::move(answer));
    }
    if (closed_) return;
  }
}

void LearnStream::TakeResume(const v1::LearnStreamResponse& answer) {
  if (answer.has_error()) return Close(ErrorOf(answer));
  const std::int64_t next = answer.resume().next_sequence();
  if (next < 1) {
    return Fail(absl::StatusCode::kUnimplemented, "the server does not say where to resume");
  }
  if (first_ == 0) first_ = next;
  if (next < first_ + answered_) {
    return Fail(absl::StatusCode::kFailedPrecondition,
                absl::StrCat("the server no longer knows this producer: it is to go on with ", next,
                             " and has had answers up to ", first_ + answered_ - 1));
  }
  if (next > first_ + sent()) {
    return Fail(absl::StatusCode::kAborted,
                absl::StrCat("somebody else sends as producer ", options_.producer));
  }
  resumed_ = true;
}

void LearnStream::TakeAnswer(v1::LearnStreamResponse answer) {
  LearnAck ack{answered_, first_ + answered_, absl::UnknownError("")};
  if (answer.has_learned()) {
    ack.result = std::move(*answer.mutable_learned());
  } else {
    ack.result = ErrorOf(answer);
  }
  unanswered_.pop_front();
  --written_;
  ++answered_;
  backoff_.Reset();
  on_ack_(ack);
}

void LearnStream::WriteNext() {
  if (resumed_ && written_ < unanswered_.size() && !call_->writing()) {
    call_->Write(unanswered_[written_++]);
  }
}

void LearnStream::Recover(const absl::Status& status) {
  if (status.ok()) {
    return Fail(absl::StatusCode::kInternal,
                absl::StrCat("the server ended the stream with ", unanswered_.size(),
                             " minibatches unanswered"));
  }
  // A server that was never reached is more likely misspelt than restarting; one that gives a
  // reason is there.
  const bool known = first_ > 0 || !DetailsOf(status).reason.empty();
  std::optional<std::chrono::milliseconds> pause;
  if (known && IsTransient(status)) pause = backoff_.Next();
  if (!pause.has_value()) return Close(status);
  call_.reset();
  std::this_thread::sleep_for(*pause);
  Connect();
}

void LearnStream::Close(const absl::Status& outcome) {
  closed_ = true;
  outcome_ = outcome;
  call_.reset();
}

void LearnStream::Fail(absl::StatusCode code, const std::string& message) {
  // The error is made as the transport's are, so that callers need not tell the two apart.
  google::rpc::Status proto;
  proto.set_code(static_cast<int>(code));
  proto.set_message(message);
  Close(StatusFromProto(proto));
}

}  // namespace prequel::client
