#include "client/learn_stream.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "client/error.h"
#include "client/learn_stream_call.h"
#include "client/rpc_status.h"

namespace prequel::client {

LearnStream::LearnStream(std::unique_ptr<Call> call, const LearnStreamOptions& options,
                         AckHandler on_ack)
    : call_(std::move(call)), options_(options), on_ack_(std::move(on_ack)) {}

LearnStream::~LearnStream() = default;

absl::Status LearnStream::Send(v1::Batch batch) {
  if (closed_) return outcome_.ok() ? absl::FailedPreconditionError("Send after Finish") : outcome_;
  const bool ready =
      Await([&] { return sent_ - answered_ < options_.max_in_flight && !call_->writing(); });
  if (!ready) return Close();
  call_->Write(std::move(batch));
  ++sent_;
  return absl::OkStatus();
}

absl::Status LearnStream::Finish() {
  if (closed_) return outcome_;
  if (Await([&] { return !call_->writing(); })) {
    call_->WritesDone();
    Await([] { return false; });
  }
  return Close();
}

bool LearnStream::Await(const std::function<bool()>& ready) {
  for (;;) {
    const std::uint64_t version = call_->version();
    Deliver();
    if (!failure_.ok() || call_->ended()) return false;
    if (ready()) return true;
    if (!call_->WaitForChange(version, options_.stall_timeout)) {
      Fail(absl::DeadlineExceededError(
          absl::StrCat("the server answered nothing for ", options_.stall_timeout.count(), " ms; ",
                       sent_ - answered_, " minibatches are unanswered")));
    }
  }
}

void LearnStream::Deliver() {
  for (v1::LearnStreamResponse& answer : call_->TakeAnswers()) {
    if (!failure_.ok()) return;
    if (answer.index() != answered_ || answered_ == sent_) {
      Fail(absl::InternalError(absl::StrCat("the server answered minibatch ", answer.index(),
                                            " where ", answered_, " was due")));
      return;
    }
    ++answered_;
    if (answer.has_learned()) {
      on_ack_({answer.index(), std::move(*answer.mutable_learned())});
    } else {
      absl::Status error = StatusFromProto(answer.error());
      if (error.ok()) error = absl::UnknownError("refused without a reason");
      on_ack_({answer.index(), std::move(error)});
    }
  }
}

void LearnStream::Fail(absl::Status status) {
  // As the transport would say it, so that callers need not tell the two apart.
  google::rpc::Status proto;
  proto.set_code(static_cast<int>(status.code()));
  proto.set_message(std::string(status.message()));
  failure_ = StatusFromProto(proto);
  call_->Cancel();
}

absl::Status LearnStream::Close() {
  closed_ = true;
  const absl::Status status = StatusFromGrpc(call_->Join());
  if (!failure_.ok()) {
    outcome_ = failure_;
  } else if (!status.ok()) {
    outcome_ = status;
  } else if (answered_ != sent_) {
    outcome_ = absl::InternalError(absl::StrCat("the server ended the stream with ",
                                                sent_ - answered_, " minibatches unanswered"));
  }
  return outcome_;
}

}  // namespace prequel::client
