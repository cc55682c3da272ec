// The Prequel service, as a C++ object.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/learn_stream.h"
#include "client/security.h"
#include "prequel/v1/batch.pb.h"
#include "prequel/v1/config.pb.h"
#include "prequel/v1/learning_service.pb.h"
#include "prequel/v1/model_service.pb.h"
#include "prequel/v1/part_service.pb.h"

namespace grpc {
class ChannelCredentials;
}

namespace prequel::client {

struct ClientOptions {
  std::string server = "127.0.0.1:8081";  // HOST:PORT, or unix:PATH
  // How long each call may take, connecting included; of an export or import, all of the file. A
  // stream has LearnStreamOptions::stall_timeout instead.
  std::chrono::milliseconds timeout{30'000};
  // Plain text and no token by default.
  SecurityOptions security = {};
  // These credentials count in place of what `security` says of TLS. Null: what it says.
  std::shared_ptr<grpc::ChannelCredentials> credentials = nullptr;
};

class Access;

// MinibatchNumber says which minibatch it is, of a producer that numbers them 1, 2, 3, ….
struct MinibatchNumber {
  std::string producer;  // empty: no producer; the call makes up a request id
  std::int64_t sequence = 0;
};

// PredictRevision says by which revision a query is answered. The answer says which it was.
struct PredictRevision {
  std::optional<std::int64_t> revision;  // a past one; none: the newest
  // Waits until the model has come to this one, as long as the timeout lasts, but no longer than
  // the server does (30 s).
  std::int64_t at_least = 0;
};

// A Client connects on first use and again whenever the connection is lost. After UNAVAILABLE, or a
// call that broke off, Learn and PredictThenLearn are tried again while the timeout lasts, and
// streams go on where they were: the server learns each minibatch once. No other call is repeated.
// Errors carry the service's details: see DetailsOf in client/call_error.h.
//
// Wherever a model is named, `moons` and `models/moons` are the same. Thread-safe.
class Client {
 public:
  explicit Client(const ClientOptions& options);
  ~Client();

  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  absl::StatusOr<v1::Model> CreateModel(const std::string& id, const v1::ModelConfig& config);
  absl::StatusOr<v1::Model> GetModel(const std::string& name);
  // One page. `page_size` 0 is the server's choice; an empty `page_token` is the first page.
  absl::StatusOr<v1::ListModelsResponse> ListModels(int page_size, const std::string& page_token);
  // All pages.
  absl::StatusOr<std::vector<v1::Model>> ListAllModels();
  absl::Status DeleteModel(const std::string& name);
  absl::StatusOr<v1::Snapshot> CreateSnapshot(const std::string& name);
  // What a model can be made of and asked.
  absl::StatusOr<v1::ListPartsResponse> ListParts();
  absl::StatusOr<v1::ListRevisionsResponse> ListRevisions(const std::string& name);
  absl::StatusOr<v1::Model> RollbackModel(const std::string& name, std::int64_t revision);
  // Without a revision the fork is of the newest. `config` may be null: the same one.
  absl::StatusOr<v1::Model> ForkModel(const std::string& name, std::optional<std::int64_t> revision,
                                      const std::string& fork, const v1::ModelConfig* config);
  // `sink` is given the file's bytes in order; it is whole only if the result is OK.
  absl::Status ExportModel(const std::string& name, std::optional<std::int64_t> revision,
                           const std::function<void(const std::string&)>& sink);
  // `source` gives the file's bytes in order, then nothing.
  absl::StatusOr<v1::Model> ImportModel(const std::string& id,
                                        const std::function<std::string()>& source);

  absl::StatusOr<v1::LearnResponse> Learn(const std::string& name, v1::Batch batch,
                                          const MinibatchNumber& number = {});
  // `on_ack` as described at LearnStream. The stream may outlive this client.
  std::unique_ptr<LearnStream> OpenLearnStream(const std::string& name,
                                               const LearnStreamOptions& options,
                                               LearnStream::AckHandler on_ack);
  // With `options.scores`, Predict is UNIMPLEMENTED of a server that does not know them.
  absl::StatusOr<v1::PredictResponse> Predict(const std::string& name, v1::Batch batch,
                                              const v1::PredictOptions& options = {},
                                              const PredictRevision& when = {});
  absl::StatusOr<v1::PredictThenLearnResponse> PredictThenLearn(
      const std::string& name, v1::Batch batch, const v1::PredictOptions& options = {},
      const MinibatchNumber& number = {});
  // The number that `producer` is to go on with: all before it are in the log.
  absl::StatusOr<std::int64_t> NextSequence(const std::string& name, const std::string& producer);
  absl::StatusOr<v1::GetEvaluationResponse> GetEvaluation(const std::string& name);

  // WatchEvaluation gives `sink` the evaluation now, and again when the model has learned, but at
  // most once in `interval`: always the newest. Goes on until `sink` returns false, which is OK;
  // else ends with what ended it. The timeout does not count here.
  absl::Status WatchEvaluation(const std::string& name, std::chrono::milliseconds interval,
                               const std::function<bool(const v1::GetEvaluationResponse&)>& sink);

  // Whether the server (or the named service) says it is serving.
  absl::StatusOr<bool> CheckHealth(const std::string& service = "");

 private:
  struct Stubs;

  const std::chrono::milliseconds timeout_;
  const std::shared_ptr<const Access> access_;
  const std::unique_ptr<Stubs> stubs_;
};

// The resource name of `name`: "models/moons" for "moons" and for "models/moons".
std::string ModelName(const std::string& name);

}  // namespace prequel::client
