// The open inference protocol over the engine, whatever carries it: convert, ask, convert.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "inference/grpc_predict_v2.pb.h"
#include "server/engine/engine.h"
#include "server/inference/infer_answer.h"
#include "server/inference/infer_question.h"
#include "server/rpc/call.h"
#include "server/rpc/call_pool.h"

namespace prequel {

struct InferenceOptions {
  Index max_batch_rows = 1 << 16;
  std::string version;          // of the server
  std::function<bool()> ready;  // whether it answers and learns
};

// Thread-safe. A model is named by its id, and its versions are its revisions.
class InferenceFace {
 public:
  // All outlive the face.
  InferenceFace(Engine& engine, const CallPools& pools, InferenceOptions options)
      : engine_(engine), pools_(pools), options_(std::move(options)) {}

  bool ready() const { return options_.ready(); }
  Index max_batch_rows() const { return options_.max_batch_rows; }

  void ServerMetadata(inference::ServerMetadataResponse* response) const;
  // ModelReady: a model is not ready while its log is replayed, nor when it cannot be; nor is a
  // revision that is yet to come.
  absl::Status ModelReady(const inference::ModelReadyRequest& request,
                          inference::ModelReadyResponse* response) const;
  absl::Status ModelMetadata(const inference::ModelMetadataRequest& request,
                             inference::ModelMetadataResponse* response) const;

  // Infer does what Predict of prequel.v1.LearningService does. Calls `done` exactly once, on any
  // thread; request and response live until then. `watched`: the same call, if its client is
  // watched; else null.
  using Done = std::function<void(const absl::Status&)>;
  void Infer(const Call& call, const inference::ModelInferRequest* request, Contents contents,
             inference::ModelInferResponse* response, const Done& done,
             const UnaryCall* watched = nullptr) const;

  // Run does `work` on one of the threads that answer queries, for what is not to be done on the
  // caller's.
  using Work = absl::AnyInvocable<absl::Status()>;
  void Run(const Call& call, Work work, Done done) const {
    pools_.queries.Run(
        call.who(), call.wanted(),
        [work = std::move(work)](const StillWanted& /*proceed*/) mutable { return work(); },
        std::move(done));
  }

 private:
  // A model, and which revision of it is meant; none: the newest.
  struct Found {
    ModelInfo info;
    std::optional<std::int64_t> revision;
  };
  absl::StatusOr<Found> Find(const std::string& name, const std::string& version) const;
  absl::StatusOr<Question> Ask(const inference::ModelInferRequest& request) const;
  absl::Status Answer(const Call& call, const inference::ModelInferRequest& request,
                      const Question& question, std::optional<std::int64_t> revision,
                      Contents contents, inference::ModelInferResponse* response,
                      const StillWanted& proceed) const;

  Engine& engine_;
  const CallPools pools_;
  const InferenceOptions options_;
};

}  // namespace prequel
