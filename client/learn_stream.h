// Learning from a stream of minibatches without waiting for each answer.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/backoff.h"
#include "prequel/v1/batch.pb.h"
#include "prequel/v1/learning_service.pb.h"

namespace prequel::client {

struct LearnStreamOptions {
  // Minibatches sent and not yet answered; they are kept until they are. Enough to hide the round
  // trip and two of the server's syncs, each of which takes what has arrived; more only queues.
  int max_in_flight = 256;
  // The stream fails with DEADLINE_EXCEEDED when nothing moves for this long.
  std::chrono::milliseconds stall_timeout{30'000};
  // The producer of these minibatches, which are numbered 1, 2, 3, …: each number is learned once,
  // whoever sends it and how often. Empty: an id of this stream's own.
  std::string producer;
  // After UNAVAILABLE, once the server has been reached.
  RetryOptions retry;
};

// The answer to one minibatch.
struct LearnAck {
  std::int64_t index = 0;     // of the minibatch in this stream, from 0
  std::int64_t sequence = 0;  // its number among its producer's
  // The minibatch is on disk and folded in, or it was refused and the stream goes on.
  absl::StatusOr<v1::LearnResponse> result;
};

// Open it with Client::OpenLearnStream. For one thread; answers are handed to `on_ack` in order,
// on the calling thread, inside Send and Finish. When the server goes away the stream waits for it
// and goes on where it was: no minibatch is lost or learned twice. Destroying an unfinished stream
// cancels it: minibatches that were not answered may or may not have been learned.
class LearnStream {
 public:
  using AckHandler = std::function<void(const LearnAck&)>;

  // Internal: how the stream was opened.
  class Call;
  using Opener = std::function<std::unique_ptr<Call>(const std::string& producer)>;
  LearnStream(Opener open, const LearnStreamOptions& options, AckHandler on_ack);
  ~LearnStream();

  LearnStream(const LearnStream&) = delete;
  LearnStream& operator=(const LearnStream&) = delete;

  // NextSequence is the number of the next minibatch: it comes behind what the producer has sent
  // before, in this stream or an earlier one. Blocks until the server has said so.
  absl::StatusOr<std::int64_t> NextSequence();

  // Blocks while `max_in_flight` minibatches are unanswered. An error is that of the whole stream
  // (for example UNAVAILABLE: the server has gone for good), which is then finished; every answer
  // that arrived has been handed over.
  absl::Status Send(v1::Batch batch);

  // Sends nothing more, waits for every answer, and returns how the stream ended.
  absl::Status Finish();

  std::int64_t sent() const { return answered_ + static_cast<std::int64_t>(unanswered_.size()); }
  std::int64_t answered() const { return answered_; }

 private:
  using Request = std::shared_ptr<const v1::LearnStreamRequest>;

  void Connect();
  // Await goes on until `ready`; false when the stream ended instead.
  bool Await(const std::function<bool()>& ready);
  void TakeAnswers();
  void TakeResume(const v1::LearnStreamResponse& answer);
  void TakeAnswer(v1::LearnStreamResponse answer);
  void WriteNext();
  // Recover: the call has failed with `status`. Begins a new call, or ends the stream.
  void Recover(const absl::Status& status);
  absl::Status HowItEnded();
  void Close(const absl::Status& outcome);
  // Fail closes with an error of this side's.
  void Fail(absl::StatusCode code, const std::string& message);

  const Opener open_;
  const LearnStreamOptions options_;
  const AckHandler on_ack_;
  Backoff backoff_;

  std::int64_t first_ = 0;  // sequence of the first minibatch; 0: not known yet
  std::int64_t answered_ = 0;
  std::deque<Request> unanswered_;
  bool closed_ = false;
  absl::Status outcome_;  // when closed_

  // These members are of the present call.
  std::unique_ptr<Call> call_;
  bool resumed_ = false;     // the server has said where to resume
  std::size_t written_ = 0;  // of unanswered_, from the front
  std::int64_t index_ = 0;   // of the next answer
  absl::Status lost_;        // an answer that the call cannot go on after
};

}  // namespace prequel::client
