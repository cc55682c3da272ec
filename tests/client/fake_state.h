// What the services of a FakeServer share.
#pragma once

#include <grpcpp/support/status.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "google/rpc/status.pb.h"
#include "tests/client/fake_server.h"

namespace prequel::client {

inline grpc::Status ToGrpc(const google::rpc::Status& status) {
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), status.message(),
                      status.SerializeAsString());
}

// What the services of a FakeServer are told, and what they have been asked.
struct FakeState {
  FakeBehaviour behaviour;
  mutable std::mutex mu;
  mutable std::condition_variable changed;
  // Guarded by mu.
  std::int64_t received = 0;
  std::int64_t released = 0;
  std::int64_t predicts = 0;
  bool stopping = false;
  v1::LearnStreamRequest first_stream_request, last_stream_request;
  std::vector<std::int64_t> stream_sequences;
  v1::PredictRequest last_predict;
  v1::PredictThenLearnRequest last_predict_then_learn;
  v1::CreateModelRequest last_create;

  grpc::Status Outcome() {
    std::this_thread::sleep_for(behaviour.delay);
    if (behaviour.error.code() == 0 || behaviour.errors == 0) return grpc::Status::OK;
    if (behaviour.errors > 0) --behaviour.errors;
    return ToGrpc(behaviour.error);
  }
};

}  // namespace prequel::client
