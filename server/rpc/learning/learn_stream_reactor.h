// One LearnStream call: reads ahead, answers in order.
#pragma once

#include <grpcpp/alarm.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "prequel/v1/learning_service.pb.h"
#include "server/engine/engine.h"
#include "server/rpc/call.h"
#include "server/rpc/learning/learn_call.h"
#include "server/rpc/learning/open_streams.h"
#include "server/sync/mutex.h"

namespace prequel {

struct LearnStreamBounds {
  int window;  // minibatches read and not yet answered
  Index max_rows;
};

// LearnStreamCall reads until `window` answers are owed, then leaves the rest to HTTP/2's flow
// control. When the engine has no room, or a quota of the caller's is used up, the minibatch is
// kept and submitted again later, and nothing more is read. The call ends when the policy no longer
// has its caller. A message that cannot be read ends it with INVALID_ARGUMENT, after the answers to
// those before. A client that goes away loses its answers; what the engine has accepted is learned
// all the same.
//
// It owns itself: gRPC calls OnDone last, after every answer of the engine has come.
class LearnStreamCall final : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>,
                              public DrainableStream {
 public:
  LearnStreamCall(grpc::CallbackServerContext* context, Engine& engine, OpenStreams& streams,
                  const CallParts& parts, const LearnStreamBounds& bounds);

  void Drain() override;
  void Revisit() override;

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

 private:
  // An answer that is owed, ready once the engine has answered.
  struct Answer {
    v1::LearnStreamResponse response;
    bool ready = false;
    Call::Holding holding;  // of the request, until it is ready
  };
  // Due is what the thread that finds it due does without the lock: at most one of the two, which
  // keeps the call alive until it is done.
  struct Due {
    const v1::LearnStreamResponse* write = nullptr;
    std::optional<absl::Status> finish;
  };
  enum class Input {
    kIdle,        // the window is full
    kReading,     // gRPC owns received_
    kSubmitting,  // the thread in Submit owns request_
    kWaiting,     // for room in the engine or in a quota; retry_ owns request_
    kEnded,       // nothing more will be read
  };

  ~LearnStreamCall() override = default;

  // Stop reads no more, and ends the call with `why` once everything that was read is answered.
  Due Stop(const absl::Status& why) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Admit says whether request_ may be submitted: RESOURCE_EXHAUSTED means later. Takes the request
  // of the quotas, once.
  absl::Status Admit() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Submits request_, which becomes answer `index`.
  void Submit(std::int64_t index);
  // MakeDelivery makes what is submitted of request_.
  absl::StatusOr<Delivery> MakeDelivery() const;
  // Ask asks the engine where the producer that request_ names is to go on: that becomes answer
  // `index`.
  void Ask(std::int64_t index);
  absl::Status CheckQuestion() const;
  // Answer `index` is `status`, or when that is OK what `fill` makes of it.
  using Fill = absl::FunctionRef<void(v1::LearnStreamResponse&)>;
  void OnAnswer(std::int64_t index, const std::string& name, const absl::Status& status, Fill fill);
  // AfterSubmit reads on, or waits for room.
  void AfterSubmit();
  void Retry();
  // CountOnce: request_ is taken, or is to be answered or let go of.
  void CountOnce() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // WhatIsDue is called after anything has changed, before the lock is let go of: from then on
  // another thread may end the call, unless this one has something left to do. Begins the next read
  // by itself.
  Due WhatIsDue() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Do is called without the lock, and is the last that its thread does with the call.
  void Do(const Due& due);
  void StartRetry(std::chrono::milliseconds pause) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  bool MustFinish() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  absl::Status FinalStatus() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void SetAnswer(std::int64_t index, const std::string& name, const absl::Status& status, Fill fill)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  // Constant after construction.
  Engine& engine_;
  OpenStreams& streams_;
  const LearnStreamBounds bounds_;
  const Call call_;  // counts under mu_, until finished_

  grpc::ByteBuffer received_, sent_;  // the one is being read, the other written
  v1::LearnStreamRequest request_;    // whose it is: see Input
  std::string name_;                  // the last one given; belongs to whom request_ does
  std::string producer_;              // as name_
  std::unique_ptr<grpc::Alarm> retry_;

  Mutex mu_;
  Input input_ ABSL_GUARDED_BY(mu_) = Input::kIdle;
  std::deque<Answer> answers_ ABSL_GUARDED_BY(mu_);    // owed, in order; front is being written
  std::int64_t first_index_ ABSL_GUARDED_BY(mu_) = 0;  // of answers_.front()
  int in_engine_ ABSL_GUARDED_BY(mu_) = 0;             // callbacks to come
  std::thread::id submitter_ ABSL_GUARDED_BY(mu_);     // the thread in Engine::Submit
  bool no_room_ ABSL_GUARDED_BY(mu_) = false;          // what Submit said on that thread
  bool writing_ ABSL_GUARDED_BY(mu_) = false;
  bool broken_ ABSL_GUARDED_BY(mu_) = false;    // cancelled: nobody reads the answers
  bool admitted_ ABSL_GUARDED_BY(mu_) = false;  // request_
  bool counted_ ABSL_GUARDED_BY(mu_) = false;   // request_
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;
  absl::Status why_ ABSL_GUARDED_BY(mu_);  // it is stopping
  bool finished_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace prequel
