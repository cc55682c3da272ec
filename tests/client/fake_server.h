// A Prequel server that learns nothing: it answers as it is told to, on a loopback port.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "google/rpc/status.pb.h"
#include "prequel/v1/learning_service.pb.h"
#include "prequel/v1/model_service.pb.h"

namespace prequel::client {

// Set before the call it concerns.
struct FakeBehaviour {
  std::vector<v1::Model> models;  // of ListModels and GetModel
  int page_size = 2;
  std::string chosen_dynamics;          // of CreateModel, where none are named
  google::rpc::Status error;            // every unary call but health fails with it,
  int errors = -1;                      // or so many of them
  google::rpc::Status predict_error;    // Predict alone fails with it
  v1::BatchScores scores;               // of Predict, where they are asked for
  bool scores_batches = true;           // it knows what that is
  std::chrono::milliseconds delay{0};   // before every unary answer
  std::set<std::int64_t> refused;       // minibatches refused with INVALID_ARGUMENT
  std::int64_t repeated_revision = -1;  // PredictThenLearn answers it as a repeat
  std::int64_t lost_once = -1;          // this answer, of the first stream only, fails with
  int lost_with = 14;                   // this code: UNAVAILABLE
  std::int64_t next_sequence = 1;       // that streams are told to go on with
  std::int64_t wrong_index_at = -1;     // this answer bears another index
  std::int64_t end_stream_after = -1;   // OK status after so many answers
  std::int64_t fail_stream_after = -1;  // FAILED_PRECONDITION after so many answers
  bool hold_answers = false;            // stream answers wait for Release
  bool serving = true;
  std::map<std::string, v1::GetEvaluationResponse> evaluations;  // of GetEvaluation, by model
  std::vector<v1::GetEvaluationResponse> watched = {{}};         // of WatchEvaluation
};

struct FakeState;

class FakeServer {
 public:
  FakeServer();
  ~FakeServer();

  const std::string& address() const;
  FakeBehaviour& behaviour();

  // Lets `count` held answers go.
  void Release(std::int64_t count);
  // Minibatches read from streams so far.
  std::int64_t received() const;
  // False when it does not happen within ten seconds.
  bool AwaitReceived(std::int64_t count) const;
  // Breaks every connection, at once.
  void Vanish();
  // Listens again, on the same port.
  void Return();

  // What the last call carried.
  v1::LearnStreamRequest first_stream_request() const;
  v1::LearnStreamRequest last_stream_request() const;
  // Of every minibatch read from a stream.
  std::vector<std::int64_t> stream_sequences() const;
  v1::PredictRequest last_predict() const;
  std::int64_t predicts() const;  // calls of Predict so far
  v1::PredictThenLearnRequest last_predict_then_learn() const;
  v1::CreateModelRequest last_create() const;

 private:
  class Learning;
  class Health;
  struct Running;

  std::unique_ptr<FakeState> state_;
  std::unique_ptr<Running> running_;
};

}  // namespace prequel::client
