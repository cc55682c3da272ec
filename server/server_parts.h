// The parts of a server, in the order in which they are built; destroyed in reverse.
#pragma once

#include <grpcpp/server.h>

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "server/auth/policy_file.h"
#include "server/auth/quotas/model_meters.h"
#include "server/auth/tls_files.h"
#include "server/engine/engine.h"
#include "server/health_keeper.h"
#include "server/inference/http_face.h"
#include "server/inference/inference_face.h"
#include "server/inference/inference_service.h"
#include "server/listening/descriptors.h"
#include "server/listening/listener.h"
#include "server/listening/self_dial.h"
#include "server/log/call_log.h"
#include "server/log/engine_log.h"
#include "server/memory/in_flight.h"
#include "server/memory/trimmer.h"
#include "server/observe/audit.h"
#include "server/observe/metrics.h"
#include "server/observe/recent_models.h"
#include "server/reloader.h"
#include "server/rpc/call_pool.h"
#include "server/rpc/learning/learning_service.h"
#include "server/rpc/models/model_service.h"
#include "server/rpc/parts/part_service.h"
#include "server/rpc/patience.h"
#include "server/server.h"
#include "server/storage/store.h"
#include "server/sync/repeated.h"
#include "server/web/http_server.h"
#include "server/wire_codec.h"

namespace prequel {

class Server::Parts {
 public:
  explicit Parts(const ServerOptions& options) : options_(options) {}
  ~Parts() { Stop(); }

  absl::Status Start();
  void Stop();
  void AwaitReady() const { engine_->AwaitReady(); }
  bool wants_restart() const { return store_->wants_reopening(); }
  const std::string& address() const { return address_; }
  const std::string& http_address() const { return http_address_; }

 private:
  absl::Status ShareDescriptors();
  absl::Status ProbeAddresses();
  absl::Status StartSecurity();
  absl::Status StartAudit();
  absl::Status StartEngine();
  void ShareProcessor();
  void MakeServices();
  absl::Status StartGrpc();
  void WatchBudgets();
  absl::Status StartHttp();
  HttpHandler MakeHttpHandler();
  void StartReloader();

  const ServerOptions options_;
  const SystemClock clock_;
  const WireCodec codec_;
  DescriptorShares descriptors_;
  Metrics metrics_;
  RecentModels recent_models_{options_.model_metrics};
  EngineLog engine_log_;
  CallLog call_log_;
  std::unique_ptr<AuditTrail> audit_;   // null: there is none
  std::unique_ptr<TlsFiles> tls_;       // null: plain text
  std::unique_ptr<PolicyFile> policy_;  // null: everybody may do everything
  std::unique_ptr<Store> store_;
  std::unique_ptr<Engine> engine_;
  // These outlive whoever is counted, and whoever HTTP asks.
  std::unique_ptr<InFlight> in_flight_;
  ModelMeters model_meters_{
      [this](std::string_view model) { return engine_->GetModel(model).ok(); }};
  // These are what HTTP asks of the pools, which nobody waits for when HTTP stops.
  std::unique_ptr<InferenceFace> inference_;
  std::unique_ptr<HttpFace> http_face_;
  std::unique_ptr<Patience> patience_;
  Arrivals arrivals_;
  std::unique_ptr<Listener> listener_;  // its thread stops before gRPC does
  std::unique_ptr<CallPool> queries_;
  std::unique_ptr<CallPool> long_queries_;
  std::unique_ptr<CallPool> history_;
  std::unique_ptr<CallPool> changes_;
  std::unique_ptr<ModelServiceImpl> model_service_;
  std::unique_ptr<LearningServiceImpl> learning_service_;
  std::unique_ptr<PartServiceImpl> part_service_;
  std::unique_ptr<InferenceServiceImpl> inference_service_;
  std::unique_ptr<grpc::Server> grpc_;
  std::unique_ptr<HealthKeeper> health_;
  std::unique_ptr<SelfDial> self_dial_;
  std::unique_ptr<HttpServer> http_;
  Trimmer trimmer_{BudgetsOf(options_).all / 5 * 4};
  std::unique_ptr<Repeated> trimming_;
  std::unique_ptr<Reloader> reloader_;  // last: it uses most of the above
  std::string address_;
  std::string http_address_;
  bool stopped_ = false;
};

}  // namespace prequel
