#include "server/server_parts.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/learner/learner_state.h"
#include "server/grpc_settings.h"
#include "server/listening/listen_probe.h"
#include "server/log/stderr_log.h"
#include "server/model_looks.h"
#include "server/storage/rocks/rocks_store.h"
#include "server/storage/store.h"
#include "server/web/pages.h"

namespace prequel {
namespace {

// How long answers have to leave after everything accepted has been answered.
constexpr std::chrono::milliseconds kFlush{500};
// Each history call holds a state of its own and keeps a core busy.
constexpr int kHistoryThreads = 1;
constexpr int kChangesThreads = 1;
// Queries have a thread beside one for each core: some that are short by estimate are not.
constexpr int kSpareForQueries = 1;

EngineOptions EngineOptionsOf(const ServerOptions& options) {
  EngineOptions result;
  result.workers = options.workers;
  result.max_models = options.max_models;
  result.max_model_bytes = BudgetsOf(options).models;
  result.max_update_seconds = static_cast<double>(options.max_update_seconds);
  result.max_query_seconds = static_cast<double>(options.max_query_seconds);
  result.max_answer_bytes = options.max_answer_bytes;
  result.max_batch_rows = options.max_batch_rows;
  result.max_batch_bytes = static_cast<std::size_t>(options.max_message_bytes);
  result.max_queued_batches = options.queue_batches;
  result.max_queued_bytes = static_cast<std::size_t>(options.queue_bytes);
  result.snapshots.every_batches = options.snapshot_batches;
  result.snapshots.every_bytes = options.snapshot_bytes;
  result.snapshots.bytes_per_second = options.snapshot_rate;
  result.snapshots.keep = options.snapshots_kept;
  result.snapshots.full_history = options.retention == "full";
  result.snapshots.build = "prequel " PREQUEL_VERSION " " PREQUEL_ARCH;
  return result;
}

std::string Address(const HostPort& address) {
  const bool v6 = address.host.find(':') != address.host.npos;
  return v6 ? absl::StrCat("[", address.host, "]:", address.port)
            : absl::StrCat(address.host, ":", address.port);
}

ModelCounts Count(const std::vector<ModelInfo>& models) {
  ModelCounts counts;
  for (const ModelInfo& model : models) {
    ++counts.all;
    const LearnerState* state = model.published.state.get();
    if (state == nullptr) continue;
    if (!state->evaluation.HasSkill()) ++counts.without_skill;
    if (state->change.inputs.raised) ++counts.changed_inputs;
    if (state->change.noise.raised) ++counts.changed_noise;
    if (state->change.weights.raised) ++counts.changed_weights;
  }
  return counts;
}

// What is in it belongs to whoever runs the server. A directory of somebody else's, such as a
// volume, keeps its permissions.
void KeepPrivate(const std::string& directory) {
  std::error_code failed;
  std::filesystem::permissions(directory, std::filesystem::perms::owner_all, failed);
  if (failed) {
    LogLine(Severity::kWarning,
            absl::StrCat(directory, " cannot be made private: ", failed.message()));
  }
}

// Lowered is what there are descriptors for, of `asked`.
int Lowered(const char* what, int asked, int share) {
  if (asked <= share) return asked;
  LogLine(Severity::kWarning,
          absl::StrCat(what, " is ", share, ", not ", asked, ": the process may have ",
                       DescriptorLimit(), " files open (ulimit -n)"));
  return share;
}

// One address has at most half, where there are fewer than were asked for.
ConnectionLimits LimitsOf(const ServerOptions& options, int share) {
  return {.all = options.max_connections == 0
                     ? share
                     : Lowered("--max-connections", options.max_connections, share),
          .per_peer =
              Lowered("--max-connections-per-peer", options.max_connections_per_peer, share / 2),
          .calls = kMaxStreamsPerConnection,
          .calls_per_peer = options.max_calls_per_peer};
}

}  // namespace

absl::Status Server::Parts::Start() {
  absl::Status status = ShareDescriptors();
  if (status.ok()) status = ProbeAddresses();
  if (status.ok()) status = StartSecurity();
  if (status.ok()) status = StartAudit();
  if (status.ok()) status = StartEngine();
  if (status.ok()) status = StartGrpc();
  if (status.ok()) WatchBudgets();
  if (status.ok()) status = StartHttp();
  if (status.ok()) StartReloader();
  return status;
}

absl::Status Server::Parts::ShareDescriptors() {
  const absl::StatusOr<DescriptorShares> shares = DivideDescriptors(DescriptorLimit());
  if (shares.ok()) descriptors_ = *shares;
  return shares.status();
}

// The addresses are tried before the data: whoever cannot be reached has no business with those.
absl::Status Server::Parts::ProbeAddresses() {
  std::vector<HostPort> addresses(1);
  absl::Status status = ParseHostPort(options_.listen, &addresses[0]);
  if (status.ok() && !options_.http.empty()) {
    status = ParseHostPort(options_.http, &addresses.emplace_back());
  }
  return status.ok() ? ProbeListen(addresses) : status;
}

absl::Status Server::Parts::StartSecurity() {
  if (!options_.tls_cert.empty()) {
    absl::StatusOr<std::unique_ptr<TlsFiles>> tls =
        TlsFiles::Open({options_.tls_cert, options_.tls_key, options_.tls_client_ca});
    if (!tls.ok()) return tls.status();
    tls_ = *std::move(tls);
    metrics_.SetCertificateExpiry(tls_->current()->expires);
  }
  if (!options_.policy.empty()) {
    absl::StatusOr<std::unique_ptr<PolicyFile>> policy = PolicyFile::Open(options_.policy);
    if (!policy.ok()) return policy.status();
    policy_ = *std::move(policy);
  }
  return absl::OkStatus();
}

absl::Status Server::Parts::StartAudit() {
  if (options_.audit.empty()) return absl::OkStatus();
  absl::StatusOr<std::unique_ptr<AuditTrail>> audit =
      AuditTrail::Open({.path = options_.audit,
                        .max_bytes = options_.audit_bytes,
                        .kept = options_.audit_files,
                        .reads = options_.audit_reads,
                        .required = options_.audit_required});
  if (!audit.ok()) return audit.status();
  audit_ = *std::move(audit);
  metrics_.AddCounter("prequel_audit_failures_total",
                      "Times that a line of the audit trail could not be written, or its file "
                      "not be renamed",
                      [this] { return static_cast<double>(audit_->failures()); });
  return absl::OkStatus();
}

void Server::Parts::StartReloader() {
  if (tls_ == nullptr && policy_ == nullptr) return;
  reloader_ = std::make_unique<Reloader>(metrics_);
  if (tls_ != nullptr) {
    reloader_->Add("tls", [this] {
      absl::StatusOr<bool> reloaded = tls_->Reload();
      metrics_.SetCertificateExpiry(tls_->current()->expires);
      return reloaded;
    });
  }
  if (policy_ != nullptr) {
    reloader_->Add("policy", [this] {
      absl::StatusOr<bool> reloaded = policy_->Reload();
      if (reloaded.ok() && *reloaded) ShareProcessor();
      return reloaded;
    });
  }
  reloader_->Start([this] { learning_service_->RevisitStreams(); });
}

absl::Status Server::Parts::StartEngine() {
  RocksOptions rocks;
  rocks.directory = options_.data_dir;
  rocks.sync = options_.sync;
  rocks.max_open_files = Lowered("the number of files that the store keeps open",
                                 rocks.max_open_files, descriptors_.store);
  absl::StatusOr<std::unique_ptr<RocksStore>> store = RocksStore::Open(rocks);
  if (!store.ok()) return store.status();
  store_ = *std::move(store);
  KeepPrivate(options_.data_dir);
  metrics_.SetBuild(PREQUEL_VERSION, PREQUEL_ARCH);
  absl::StatusOr<std::unique_ptr<Engine>> engine = Engine::Create(
      EngineOptionsOf(options_), {.catalogue = store_->catalogue(),
                                  .log = store_->log(),
                                  .snapshots = store_->snapshots(),
                                  .codec = codec_,
                                  .clock = clock_,
                                  .observers = {&metrics_, &recent_models_, &engine_log_}});
  if (!engine.ok()) return engine.status();
  engine_ = *std::move(engine);
  if (policy_ != nullptr) ShareProcessor();
  metrics_.SetStorageHealthy([this] { return store_->health().ok(); });
  metrics_.SetModels([this] { return Count(engine_->ListModels("", options_.max_models)); });
  metrics_.SetLooks([this] { return LooksAt(recent_models_, *engine_); });
  return absl::OkStatus();
}

// Models share as the policy of now says; callers do by what each call brings.
void Server::Parts::ShareProcessor() {
  engine_->SetShares(
      [policy = policy_->current()](std::string_view model) { return policy->ShareOf(model); });
}

void Server::Parts::MakeServices() {
  in_flight_ = std::make_unique<InFlight>(BudgetsOf(options_).in_flight);
  patience_ = std::make_unique<Patience>(options_.patience);
  const int workers = WorkersOf(EngineOptionsOf(options_));
  const auto queue = static_cast<std::size_t>(options_.queue_calls);
  queries_ = std::make_unique<CallPool>(workers + kSpareForQueries, queue,
                                        "too many calls are waiting; try again later");
  long_queries_ = std::make_unique<CallPool>(
      workers, queue, "too many calls that take long are waiting; try again later",
      Where::kBackground);
  history_ = std::make_unique<CallPool>(
      kHistoryThreads, static_cast<std::size_t>(options_.queue_history),
      "too many calls that store, copy or return to a model are waiting; try again when one is "
      "done, or raise --queue-history");
  changes_ = std::make_unique<CallPool>(
      kChangesThreads, queue,
      "too many calls that make or delete models are waiting; try again later");
  const CallPools pools{*queries_, *long_queries_, *history_, *changes_};
  CallParts calls{.observers = {&metrics_, &call_log_},
                  .gate = Gate(policy_.get()),
                  .memory = in_flight_.get(),
                  .patience = patience_.get(),
                  .arrivals = &arrivals_,
                  .models = &model_meters_};
  if (audit_ != nullptr) calls.observers.push_back(audit_.get());
  model_service_ = std::make_unique<ModelServiceImpl>(*engine_, pools, calls);
  learning_service_ = std::make_unique<LearningServiceImpl>(
      *engine_, pools, calls,
      LearningOptions{options_.max_batch_rows, options_.stream_window, options_.watch_rate});
  part_service_ = std::make_unique<PartServiceImpl>(calls);
  inference_ = std::make_unique<InferenceFace>(
      *engine_, pools, InferenceOptions{options_.max_batch_rows, PREQUEL_VERSION, [this] {
                                          return engine_->ready() && store_->health().ok();
                                        }});
  inference_service_ = std::make_unique<InferenceServiceImpl>(*inference_, calls);
  http_face_ = std::make_unique<HttpFace>(*inference_, calls, options_.max_message_bytes);
}

absl::Status Server::Parts::StartGrpc() {
  HostPort address;
  if (absl::Status status = ParseHostPort(options_.listen, &address); !status.ok()) return status;
  const MemoryBudgets budgets = BudgetsOf(options_);
  absl::StatusOr<std::unique_ptr<Listener>> listener = Listener::Open(
      address, LimitsOf(options_, descriptors_.grpc),
      {.arrivals = arrivals_, .most = budgets.transport, .resident = budgets.all / 2});
  if (!listener.ok()) return listener.status();
  listener_ = *std::move(listener);
  address.port = listener_->port();
  MakeServices();
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  ConfigureGrpc(options_, builder);
  std::unique_ptr<Listener::Acceptor> acceptor =
      builder.experimental().AddExternalConnectionAcceptor(
          grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD,
          tls_ != nullptr ? tls_->Credentials() : grpc::InsecureServerCredentials());
  builder.RegisterService(model_service_.get());
  builder.RegisterService(learning_service_.get());
  builder.RegisterService(part_service_.get());
  builder.RegisterService(inference_service_.get());
  grpc_ = builder.BuildAndStart();
  if (grpc_ == nullptr) return absl::UnavailableError("gRPC cannot be started");
  listener_->Start(std::move(acceptor));
  trimming_ = std::make_unique<Repeated>(std::chrono::seconds(1), [this] {
    trimmer_.Look(engine_->memory().used() + in_flight_->used() + listener_->held());
  });
  address_ = Address(address);
  self_dial_ =
      std::make_unique<SelfDial>(address, tls_ != nullptr, [this] { return listener_->refused(); });
  health_ = std::make_unique<HealthKeeper>(*engine_, *store_, *grpc_->GetHealthCheckService());
  return absl::OkStatus();
}

void Server::Parts::WatchBudgets() {
  const MemoryBudgets budgets = BudgetsOf(options_);
  const auto add = [this](const char* name, const char* help, auto value) {
    metrics_.AddGauge(name, help, [value] { return static_cast<double>(value()); });
  };
  add("prequel_memory_models_bytes", "Memory of models, by estimate",
      [this] { return engine_->memory().used(); });
  add("prequel_memory_models_limit_bytes", "What they may have",
      [budgets] { return budgets.models; });
  add("prequel_memory_in_flight_bytes", "Memory of requests and answers in flight",
      [this] { return in_flight_->used(); });
  add("prequel_memory_in_flight_limit_bytes", "What they may have",
      [budgets] { return budgets.in_flight; });
  add("prequel_arriving_bytes", "Of requests that have not come whole yet, by estimate",
      [this] { return listener_->arriving(); });
  add("prequel_connections", "Connections to the gRPC port", [this] { return listener_->open(); });
  add("prequel_grpc_calls", "Calls that gRPC has open, from their headers until it frees them",
      [this] { return listener_->calls(); });
  const auto count = [this](const char* name, const char* help, auto value) {
    metrics_.AddCounter(name, help, [value] { return static_cast<double>(value()); });
  };
  count("prequel_connections_refused_total", "Those that there was no room for, since the start",
        [this] { return listener_->refused(); });
  count("prequel_floods_total", "Hosts shut out as they had too many calls open, since the start",
        [this] { return listener_->floods(); });
  count("prequel_slow_clients_total", "Calls ended as their clients read or sent too slowly",
        [this] { return patience_->ended(); });
}

HttpHandler Server::Parts::MakeHttpHandler() {
  HttpPages pages;
  pages.metrics = [this] { return metrics_.Text(); };
  pages.obstacle = [this]() -> std::string {
    if (!self_dial_->answered()) return "the gRPC port takes no connections";
    if (health_->serving()) return "";
    if (!engine_->ready()) return "models are being replayed";
    const absl::Status store = store_->health();
    return store.ok() ? "the server is starting or stopping"
                      : std::string(WritesRefused(store).message());
  };
  pages.may_see_metrics = [gate = Gate(options_.open_metrics ? nullptr : policy_.get())](
                              const Credentials& credentials) {
    const absl::StatusOr<Caller> caller = gate.Identify(credentials);
    return caller.ok() ? caller->CheckRole(Role::kMetrics, "/metrics") : caller.status();
  };
  HttpHandler handler;
  handler.body_limit = [this](const HttpRequest& head) { return http_face_->LimitOf(head); };
  handler.answer = [this, pages = std::move(pages)](HttpRequest request,
                                                    const HttpRespond& respond) {
    if (std::optional<HttpAnswer> page = AnswerPage(pages, request)) {
      return respond(*std::move(page));
    }
    http_face_->Answer(std::move(request), respond);
  };
  return handler;
}

absl::Status Server::Parts::StartHttp() {
  if (options_.http.empty()) return absl::OkStatus();
  HostPort address;
  if (absl::Status status = ParseHostPort(options_.http, &address); !status.ok()) return status;
  HttpOptions http_options;
  http_options.host = address.host;
  http_options.port = address.port;
  http_options.tls = tls_.get();
  http_options.max_body_bytes = options_.max_message_bytes;
  http_options.max_connections =
      Lowered("the number of HTTP connections", http_options.max_connections, descriptors_.http);
  http_options.max_connections_per_peer = http_options.max_connections / 2;
  absl::StatusOr<std::unique_ptr<HttpServer>> http =
      HttpServer::Start(http_options, MakeHttpHandler());
  if (!http.ok()) return http.status();
  http_ = *std::move(http);
  address.port = http_->port();
  http_address_ = Address(address);
  return absl::OkStatus();
}

void Server::Parts::Stop() {
  if (std::exchange(stopped_, true)) return;
  reloader_.reset();
  const TimePoint deadline = clock_.Now() + options_.drain;
  if (health_ != nullptr) health_->Stop();
  if (learning_service_ != nullptr) learning_service_->DrainStreams();
  if (engine_ != nullptr) engine_->Shutdown(deadline);
  for (CallPool* pool : {queries_.get(), long_queries_.get(), history_.get(), changes_.get()}) {
    if (pool != nullptr) pool->Drain(deadline);
  }
  if (learning_service_ != nullptr) learning_service_->AwaitNoStreams(deadline);
  trimming_.reset();
  if (listener_ != nullptr) listener_->Stop();
  if (grpc_ != nullptr) grpc_->Shutdown(clock_.Now() + kFlush);
  http_.reset();
}

}  // namespace prequel
