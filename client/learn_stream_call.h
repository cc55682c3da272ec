// The gRPC side of LearnStream. Internal to the library.
#pragma once

#include <grpcpp/client_context.h>
#include <grpcpp/support/client_callback.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/access.h"
#include "client/learn_stream.h"
#include "prequel/v1/learning_service.grpc.pb.h"

namespace prequel::client {

// A Call reads ahead on gRPC's threads; every other method is the owner's. The owner bounds what is
// in flight, and with it `answers_`.
class LearnStream::Call final
    : public grpc::ClientBidiReactor<v1::LearnStreamRequest, v1::LearnStreamResponse> {
 public:
  // Request 0 names model and producer. A call that `access` cannot prepare ends with the reason.
  Call(std::shared_ptr<v1::LearningService::Stub> stub, const Access& access,
       const std::string& name, const std::string& producer);
  ~Call() override;

  // REQUIRES: !writing().
  void Write(std::shared_ptr<const v1::LearnStreamRequest> request);
  void WritesDone();
  void Cancel() { context_.TryCancel(); }

  // The answers received since the last call, in order.
  std::vector<v1::LearnStreamResponse> TakeAnswers();
  bool writing() const;
  // ended() means that no answer will follow those taken.
  bool ended() const;

  // Increases with every event.
  std::uint64_t version() const;
  // Waits for an event after `version`; false after `timeout` without one.
  bool WaitForChange(std::uint64_t version, std::chrono::milliseconds timeout) const;

  // Ends the call if it has not ended; returns its status. No Write may follow.
  grpc::Status Join();

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;

 private:
  const std::shared_ptr<v1::LearningService::Stub> stub_;
  grpc::ClientContext context_;
  const absl::Status prepared_;
  std::shared_ptr<const v1::LearnStreamRequest> request_;  // being written while writing_
  v1::LearnStreamResponse response_;                       // being read until ended_
  bool held_ = true;                                       // the owner's

  mutable std::mutex mu_;
  mutable std::condition_variable changed_;
  // Guarded by mu_.
  std::vector<v1::LearnStreamResponse> answers_;
  std::uint64_t version_ = 0;
  bool writing_ = false;
  bool ended_ = false;
  bool done_ = false;
  grpc::Status status_;
};

}  // namespace prequel::client
