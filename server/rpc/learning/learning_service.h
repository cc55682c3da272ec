// Minibatches in, distributions out. Each method: convert, call, map status, count.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "prequel/v1/learning_service.grpc.pb.h"
#include "server/engine/engine.h"
#include "server/rpc/call.h"
#include "server/rpc/call_memory.h"
#include "server/rpc/call_pool.h"
#include "server/rpc/learning/learn_call.h"
#include "server/rpc/learning/learn_stream_reactor.h"
#include "server/rpc/learning/open_streams.h"
#include "server/rpc/learning/watch_call.h"

namespace prequel {

// LearningMethods has the methods of v1::LearningService::CallbackService, except that
// LearnStream's messages come as bytes.
template <class Service>
using WithLearnStream = typename v1::LearningService::WithRawCallbackMethod_LearnStream<Service>;
template <class Service>
using WithOthers = typename v1::LearningService::WithCallbackMethod_Learn<
    v1::LearningService::WithCallbackMethod_Predict<
        v1::LearningService::WithCallbackMethod_PredictThenLearn<
            v1::LearningService::WithCallbackMethod_GetEvaluation<
                v1::LearningService::WithCallbackMethod_WatchEvaluation<Service>>>>>;
using LearningMethods = WithLearnStream<WithOthers<v1::LearningService::Service>>;

struct LearningOptions {
  Index max_batch_rows = 1 << 16;
  // Minibatches of one stream that are read and not yet answered: enough to hide a sync and the
  // client's round trip, few enough that one stream leaves the queue to others.
  int stream_window = 256;
  double watch_rate = 10;  // answers per second to one WatchEvaluation, at most
};

class LearningServiceImpl final : public LearningMethods {
 public:
  // All must outlive the service.
  LearningServiceImpl(Engine& engine, const CallPools& pools, CallParts parts,
                      const LearningOptions& options);

  // DrainStreams: open streams answer what they have read, then end with UNAVAILABLE, as do new
  // ones.
  void DrainStreams() {
    streams_.Drain();
    watches_.Drain();
  }
  // RevisitStreams ends streams of callers that the policy no longer has with UNAUTHENTICATED,
  // however idle they are.
  void RevisitStreams() {
    streams_.Revisit();
    watches_.Revisit();
  }
  // Waits until no stream is open, or for `deadline`.
  void AwaitNoStreams(TimePoint deadline) {
    streams_.AwaitNone(deadline);
    watches_.AwaitNone(deadline);
  }

  grpc::ServerUnaryReactor* Learn(grpc::CallbackServerContext* context,
                                  const v1::LearnRequest* request,
                                  v1::LearnResponse* response) override;
  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* LearnStream(
      grpc::CallbackServerContext* context) override;
  grpc::ServerUnaryReactor* Predict(grpc::CallbackServerContext* context,
                                    const v1::PredictRequest* request,
                                    v1::PredictResponse* response) override;
  grpc::ServerUnaryReactor* PredictThenLearn(grpc::CallbackServerContext* context,
                                             const v1::PredictThenLearnRequest* request,
                                             v1::PredictThenLearnResponse* response) override;
  grpc::ServerUnaryReactor* GetEvaluation(grpc::CallbackServerContext* context,
                                          const v1::GetEvaluationRequest* request,
                                          v1::GetEvaluationResponse* response) override;
  grpc::ServerWriteReactor<v1::GetEvaluationResponse>* WatchEvaluation(
      grpc::CallbackServerContext* context, const v1::WatchEvaluationRequest* request) override;

 private:
  // Each watch holds one answer.
  static constexpr std::size_t kMostWatches = 1024;

  template <class Request>
  absl::StatusOr<Delivery> DeliveryOf(const Request& request, TimePoint deadline) const;
  absl::StatusOr<Question> Ask(const v1::PredictRequest& request) const;
  absl::Status Answer(const UnaryCall& call, const v1::PredictRequest& request,
                      const Question& question, v1::PredictResponse* response,
                      const StillWanted& proceed) const;
  // The question of a request whose minibatch is learned, once there is memory for the answer:
  // about the rows of `record`, which is what becomes of the minibatch.
  absl::StatusOr<Question> Ask(const Call& call, const v1::PredictThenLearnRequest& request,
                               const Record& record) const;
  absl::Status Evaluate(const v1::GetEvaluationRequest& request,
                        v1::GetEvaluationResponse* response) const;

  Engine& engine_;
  const CallPools pools_;
  const CallParts parts_;
  const LearningOptions options_;
  OpenStreams streams_, watches_{kMostWatches};
  const WatchParts watch_parts_;
  CallMessages<v1::LearnRequest, v1::LearnResponse> learn_;
  CallMessages<v1::PredictRequest, v1::PredictResponse> predict_;
  CallMessages<v1::PredictThenLearnRequest, v1::PredictThenLearnResponse> predict_then_learn_;
  CallMessages<v1::GetEvaluationRequest, v1::GetEvaluationResponse> get_evaluation_;
};

}  // namespace prequel
