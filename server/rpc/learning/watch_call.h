// One WatchEvaluation call: the newest evaluation, whenever the model has learned.
#pragma once

#include <grpcpp/alarm.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "prequel/v1/learning_service.pb.h"
#include "server/engine/engine.h"
#include "server/rpc/call.h"
#include "server/rpc/learning/open_streams.h"
#include "server/rpc/patience.h"
#include "server/sync/mutex.h"

namespace prequel {

// EvaluationOf fills in `response` for a model that serves, or says why it does not.
absl::Status EvaluationOf(const Engine& engine, const std::string& model,
                          v1::GetEvaluationResponse* response);

// What all watches have in common; it outlives them.
struct WatchParts {
  Engine& engine;
  OpenStreams& streams;  // of watches: how many there are is bounded
  const CallParts& calls;
  std::chrono::nanoseconds min_interval;  // between two answers
};

// A WatchCall goes round: it evaluates and writes; once that is written, it waits for the next
// revision; then it waits until the interval is over. So there is one answer in memory, however
// fast the model learns and however slowly the client reads, and a call that waits is a
// subscription or a timer.
//
// It owns itself until gRPC calls OnDone; whatever may call it back holds it as well.
class WatchCall final : public grpc::ServerWriteReactor<v1::GetEvaluationResponse>,
                        public DrainableStream,
                        public std::enable_shared_from_this<WatchCall> {
 public:
  static grpc::ServerWriteReactor<v1::GetEvaluationResponse>* Start(
      grpc::CallbackServerContext* context, const v1::WatchEvaluationRequest& request,
      const WatchParts& parts);

  WatchCall(grpc::CallbackServerContext* context, const v1::WatchEvaluationRequest& request,
            const WatchParts& parts);

  void Drain() override;
  void Revisit() override;

  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

 private:
  enum class Phase {
    kEvaluating,  // a thread makes response_
    kWriting,     // gRPC has response_
    kAwaiting,    // the next revision
    kPausing,     // until due_
    kEnded,       // Finish has been called, or is about to be by whoever made it so
  };

  // Begin reads what the request says, then gives the first answer.
  void Begin(const v1::WatchEvaluationRequest& request);
  absl::Status Check(const v1::WatchEvaluationRequest& request);
  // Renew says whether the policy still has the caller and lets it use this model.
  absl::Status Renew() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Evaluate();
  void Await();
  void OnRevision(const absl::Status& status);
  void OnPauseOver();
  // Ends the call with `why`: at once, or after what is being evaluated or written.
  void Stop(const absl::Status& why);
  // EndNow calls off whatever the call waits for. The thread that is given true calls Finish.
  bool EndNow() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  // Constant once begun.
  const WatchParts parts_;
  std::string model_;
  std::chrono::nanoseconds interval_;

  std::shared_ptr<WatchCall> self_;     // until OnDone
  v1::GetEvaluationResponse response_;  // whose it is: see Phase
  std::int64_t held_ = 0;               // its bytes; whose it is, too
  Patience::Wait wait_;                 // for it to be read

  Mutex mu_;
  const Call call_;  // used under mu_, until it has ended
  Phase phase_ ABSL_GUARDED_BY(mu_) = Phase::kEvaluating;
  std::optional<absl::Status> why_ ABSL_GUARDED_BY(mu_);  // it is to end
  std::int64_t sent_ ABSL_GUARDED_BY(mu_) = 0;            // revision
  std::int64_t round_ ABSL_GUARDED_BY(mu_) = 0;           // of Await
  // The next answer, at the earliest.
  std::chrono::steady_clock::time_point due_ ABSL_GUARDED_BY(mu_);
  Subscription subscription_ ABSL_GUARDED_BY(mu_);
  std::unique_ptr<grpc::Alarm> pause_ ABSL_GUARDED_BY(mu_);
};

}  // namespace prequel
