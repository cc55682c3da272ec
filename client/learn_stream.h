// Learning from a stream of minibatches without waiting for each answer.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "prequel/v1/batch.pb.h"
#include "prequel/v1/learning_service.pb.h"

namespace prequel::client {

struct LearnStreamOptions {
  // Minibatches sent and not yet answered. Enough to hide the round trip and two of the server's
  // syncs, each of which takes what has arrived; more only queues. They wait at the server.
  int max_in_flight = 256;
  // The stream fails with DEADLINE_EXCEEDED when nothing moves for this long.
  std::chrono::milliseconds stall_timeout{30'000};
};

// The answer to one minibatch.
struct LearnAck {
  std::int64_t index = 0;  // of the minibatch in this stream, from 0
  // The minibatch is on disk and folded in, or it was refused and the stream goes on.
  absl::StatusOr<v1::LearnResponse> result;
};

// Open it with Client::OpenLearnStream. For one thread; answers are handed to `on_ack` in order,
// on the calling thread, inside Send and Finish. Destroying an unfinished stream cancels it:
// minibatches that were not answered may or may not have been learned.
class LearnStream {
 public:
  using AckHandler = std::function<void(const LearnAck&)>;

  // Internal: how the stream was opened.
  class Call;
  LearnStream(std::unique_ptr<Call> call, const LearnStreamOptions& options, AckHandler on_ack);
  ~LearnStream();

  LearnStream(const LearnStream&) = delete;
  LearnStream& operator=(const LearnStream&) = delete;

  // Blocks while `max_in_flight` minibatches are unanswered. An error is that of the whole stream
  // (for example UNAVAILABLE: the server has gone), which is then finished; every answer that
  // arrived has been handed over.
  absl::Status Send(v1::Batch batch);

  // Sends nothing more, waits for every answer, and returns how the stream ended.
  absl::Status Finish();

  std::int64_t sent() const { return sent_; }
  std::int64_t answered() const { return answered_; }

 private:
  void Deliver();
  // Hands answers over until `ready`; false when the stream ended or stalled instead.
  bool Await(const std::function<bool()>& ready);
  absl::Status Close();
  void Fail(absl::Status status);

  const std::unique_ptr<Call> call_;
  const LearnStreamOptions options_;
  const AckHandler on_ack_;
  std::int64_t sent_ = 0;
  std::int64_t answered_ = 0;
  bool closed_ = false;
  absl::Status failure_;  // why this side gave up
  absl::Status outcome_;  // when closed_
};

}  // namespace prequel::client
