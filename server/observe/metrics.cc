#include "server/observe/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/metric_family.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <utility>
#include <vector>

#include "server/observe/process.h"

namespace prequel {
namespace {

using prometheus::BuildCounter;
using prometheus::BuildGauge;
using prometheus::BuildHistogram;
using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;
using prometheus::MetricFamily;
using prometheus::MetricType;
using prometheus::Registry;

// 50 µs to 10 s: from a small update in memory to the longest call worth waiting for.
Histogram::BucketBoundaries Latencies() {
  return {5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2, 2.5e-2,
          5e-2, 0.1,  0.25,   0.5,  1,    2.5,    5,    10};
}

double Seconds(EngineObserver::Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

template <typename Builder>
auto& Make(Registry& registry, Builder builder, const char* name, const char* help) {
  return builder.Name(name).Help(help).Register(registry);
}

// The methods of the three services, as calls name them.
constexpr const char* kMethods[] = {
    "CreateModel",   "GetModel",       "ListModels",  "DeleteModel",      "CreateSnapshot",
    "ListRevisions", "RollbackModel",  "ForkModel",   "ExportModel",      "ImportModel",
    "ListParts",     "Learn",          "LearnStream", "PredictThenLearn", "Predict",
    "GetEvaluation", "WatchEvaluation"};

std::string CodeOf(absl::StatusCode code) { return absl::StatusCodeToString(code); }
std::string CodeOf(const absl::Status& status) { return CodeOf(status.code()); }

MetricFamily FamilyOf(const char* name, const char* help, MetricType type, double value) {
  prometheus::ClientMetric metric;
  type == MetricType::Counter ? metric.counter.value = value : metric.gauge.value = value;
  return {name, help, type, {std::move(metric)}};
}

void AppendProcess(std::vector<MetricFamily>& families) {
  const ProcessUse use = ReadProcessUse();
  const auto add = [&families](const char* name, const char* help, auto value) {
    const bool total = std::string_view(name).ends_with("_total");
    families.push_back(FamilyOf(name, help, total ? MetricType::Counter : MetricType::Gauge,
                                static_cast<double>(value)));
  };
  add("process_cpu_seconds_total", "Processor time of the server, in seconds", use.cpu_seconds);
  add("process_start_time_seconds", "When the server was started, in seconds since 1970",
      use.start_seconds);
  add("process_virtual_memory_bytes", "Address space in use", use.virtual_bytes);
  add("process_resident_memory_bytes", "Memory in use", use.resident_bytes);
  add("process_open_fds", "Files and connections open", use.open_descriptors);
  add("process_max_fds", "Files and connections there may be", use.max_descriptors);
  add("process_threads", "Threads", use.threads);
}

}  // namespace

// References into the registry, looked up once; label values are looked up per event.
struct Metrics::Series {
  // Asked at every scrape.
  struct Watched {
    const char* name;
    const char* help;
    MetricType type;  // Counter or Gauge
    std::function<double()> value;
  };

  mutable Registry registry;

  Family<Counter>& calls = Make(registry, BuildCounter(), "prequel_rpc_total",
                                "Calls answered, by method and status code");
  Family<Histogram>& call_seconds = Make(registry, BuildHistogram(), "prequel_rpc_seconds",
                                         "Time from a call's start to its answer, by method");
  Counter& batches =
      Make(registry, BuildCounter(), "prequel_batches_total", "Minibatches folded in").Add({});
  Counter& rows =
      Make(registry, BuildCounter(), "prequel_rows_total", "Rows of those minibatches").Add({});
  Counter& refused_rows = Make(registry, BuildCounter(), "prequel_rows_refused_total",
                               "Those of them whose label is no class of their model")
                              .Add({});
  Family<Counter>& refused = Make(registry, BuildCounter(), "prequel_batches_refused_total",
                                  "Minibatches that were not logged, by status code");
  Family<Counter>& failed =
      Make(registry, BuildCounter(), "prequel_updates_failed_total",
           "Minibatches that were logged and could not be folded in, by status code");
  Histogram& update_seconds =
      Make(registry, BuildHistogram(), "prequel_update_seconds", "Time to fold in one minibatch")
          .Add({}, Latencies());
  Counter& predicted_rows =
      Make(registry, BuildCounter(), "prequel_predicted_rows_total", "Rows predicted by Predict")
          .Add({});
  Histogram& predict_seconds =
      Make(registry, BuildHistogram(), "prequel_predict_seconds", "Time to compute one predictive")
          .Add({}, Latencies());
  Family<Counter>& commits = Make(registry, BuildCounter(), "prequel_commits_total",
                                  "Group commits to the log, by status code");
  Counter& commit_batches =
      Make(registry, BuildCounter(), "prequel_commit_batches_total", "Minibatches in group commits")
          .Add({});
  Counter& commit_bytes =
      Make(registry, BuildCounter(), "prequel_commit_bytes_total", "Bytes in group commits")
          .Add({});
  Histogram& commit_seconds = Make(registry, BuildHistogram(), "prequel_commit_seconds",
                                   "Time of one group commit, its sync included")
                                  .Add({}, Latencies());
  Gauge& queued_batches = Make(registry, BuildGauge(), "prequel_queued_batches",
                               "Minibatches accepted and not yet answered")
                              .Add({});
  Gauge& queued_bytes =
      Make(registry, BuildGauge(), "prequel_queued_bytes", "Bytes they hold").Add({});
  Family<Counter>& replays = Make(registry, BuildCounter(), "prequel_replays_total",
                                  "Models replayed at start-up, by status code");
  Family<Counter>& snapshots =
      Make(registry, BuildCounter(), "prequel_snapshots_total", "Snapshots stored, by status code");
  Counter& snapshot_bytes =
      Make(registry, BuildCounter(), "prequel_snapshot_bytes_total", "Bytes of them").Add({});
  Histogram& snapshot_seconds =
      Make(registry, BuildHistogram(), "prequel_snapshot_seconds", "Time to store one snapshot")
          .Add({}, Latencies());
  Counter& snapshots_lost = Make(registry, BuildCounter(), "prequel_snapshots_lost_total",
                                 "Snapshots that could not be used at start-up")
                                .Add({});
  Gauge& models = Make(registry, BuildGauge(), "prequel_models", "Models hosted").Add({});
  Gauge& models_without_skill =
      Make(registry, BuildGauge(), "prequel_models_without_skill",
           "Models that of late predict worse than their last target repeated")
          .Add({});
  Family<Gauge>& models_changed =
      Make(registry, BuildGauge(), "prequel_models_changed",
           "Models with a raised alarm that their world has changed, by cause");
  Gauge& storage_healthy =
      Make(registry, BuildGauge(), "prequel_storage_healthy", "1 while the store accepts writes")
          .Add({});
  Family<Gauge>& reloaded =
      Make(registry, BuildGauge(), "prequel_reload_ok",
           "1 while the server uses what its files hold, 0 while it goes on with what they held");
  Family<Gauge>& certificate_expiry =
      Make(registry, BuildGauge(), "prequel_tls_certificate_expiry_seconds",
           "When the server's certificate expires, in seconds since 1970");
  Family<Gauge>& build_info =
      Make(registry, BuildGauge(), "prequel_build_info", "1, with the server's version");

  std::vector<Watched> watched;
  std::function<ModelCounts()> count_models = [] { return ModelCounts(); };
  std::function<std::vector<ModelLook>()> look = [] { return std::vector<ModelLook>(); };
  std::function<bool()> is_storage_healthy = [] { return true; };
};

Metrics::Metrics() : series_(std::make_unique<Series>()) {
  // A rate over a series that begins with its first event misses that event.
  const std::string ok = CodeOf(absl::StatusCode::kOk);
  for (Family<Counter>* family : {&series_->commits, &series_->replays, &series_->snapshots}) {
    family->Add({{"code", ok}});
    family->Add({{"code", CodeOf(absl::StatusCode::kUnavailable)}});
  }
  for (const auto code : {absl::StatusCode::kInvalidArgument, absl::StatusCode::kResourceExhausted,
                          absl::StatusCode::kUnavailable}) {
    series_->refused.Add({{"code", CodeOf(code)}});
  }
  series_->failed.Add({{"code", CodeOf(absl::StatusCode::kInternal)}});
  for (const char* method : kMethods) series_->calls.Add({{"method", method}, {"code", ok}});
}
Metrics::~Metrics() = default;

void Metrics::SetBuild(const std::string& version, const std::string& architecture) {
  series_->build_info.Add({{"version", version}, {"architecture", architecture}}).Set(1);
}

void Metrics::SetModels(std::function<ModelCounts()> count) {
  series_->count_models = std::move(count);
}

void Metrics::SetLooks(std::function<std::vector<ModelLook>()> look) {
  series_->look = std::move(look);
}

void Metrics::SetStorageHealthy(std::function<bool()> healthy) {
  series_->is_storage_healthy = std::move(healthy);
}

void Metrics::AddGauge(const char* name, const char* help, std::function<double()> value) {
  series_->watched.push_back({name, help, MetricType::Gauge, std::move(value)});
}

void Metrics::AddCounter(const char* name, const char* help, std::function<double()> value) {
  series_->watched.push_back({name, help, MetricType::Counter, std::move(value)});
}

void Metrics::SetReloaded(std::string_view what, bool ok) {
  series_->reloaded.Add({{"files", std::string(what)}}).Set(ok ? 1 : 0);
}

void Metrics::SetCertificateExpiry(std::chrono::system_clock::time_point expires) {
  series_->certificate_expiry.Add({}).Set(
      static_cast<double>(std::chrono::system_clock::to_time_t(expires)));
}

void Metrics::OnCall(const CallRecord& call) {
  const std::string method(call.method);
  series_->calls.Add({{"method", method}, {"code", CodeOf(call.code)}}).Increment();
  series_->call_seconds.Add({{"method", method}}, Latencies()).Observe(Seconds(call.duration));
}

void Metrics::OnRefused(std::string_view /*model*/, const absl::Status& status) {
  series_->refused.Add({{"code", CodeOf(status)}}).Increment();
}

void Metrics::OnQueueDepth(std::size_t batches, std::size_t bytes) {
  series_->queued_batches.Set(static_cast<double>(batches));
  series_->queued_bytes.Set(static_cast<double>(bytes));
}

void Metrics::OnCommit(std::size_t batches, std::size_t bytes, Duration duration,
                       const absl::Status& status) {
  series_->commits.Add({{"code", CodeOf(status)}}).Increment();
  series_->commit_batches.Increment(static_cast<double>(batches));
  series_->commit_bytes.Increment(static_cast<double>(bytes));
  series_->commit_seconds.Observe(Seconds(duration));
}

void Metrics::OnUpdate(std::string_view /*model*/, Index rows, Duration duration,
                       const absl::Status& status) {
  if (!status.ok()) {
    series_->failed.Add({{"code", CodeOf(status)}}).Increment();
    return;
  }
  series_->batches.Increment();
  series_->rows.Increment(static_cast<double>(rows));
  series_->update_seconds.Observe(Seconds(duration));
}

void Metrics::OnRowsRefused(std::string_view /*model*/, Index rows) {
  series_->refused_rows.Increment(static_cast<double>(rows));
}

void Metrics::OnPredict(std::string_view /*model*/, Index rows, Duration duration,
                        const absl::Status& status) {
  if (status.ok()) series_->predicted_rows.Increment(static_cast<double>(rows));
  series_->predict_seconds.Observe(Seconds(duration));
}

void Metrics::OnSnapshot(std::string_view /*model*/, std::uint64_t bytes, Duration duration,
                         const absl::Status& status) {
  series_->snapshots.Add({{"code", CodeOf(status)}}).Increment();
  series_->snapshot_bytes.Increment(static_cast<double>(bytes));
  series_->snapshot_seconds.Observe(Seconds(duration));
}

void Metrics::OnSnapshotLost(std::string_view /*model*/, const absl::Status&) {
  series_->snapshots_lost.Increment();
}

void Metrics::OnReplayDone(std::string_view /*model*/, const absl::Status& status) {
  series_->replays.Add({{"code", CodeOf(status)}}).Increment();
}

std::string Metrics::Text() const {
  const ModelCounts models = series_->count_models();
  series_->models.Set(static_cast<double>(models.all));
  series_->models_without_skill.Set(static_cast<double>(models.without_skill));
  const auto changed = [this](const char* cause, std::int64_t count) {
    series_->models_changed.Add({{"cause", cause}}).Set(static_cast<double>(count));
  };
  changed("inputs", models.changed_inputs);
  changed("noise", models.changed_noise);
  changed("weights", models.changed_weights);
  series_->storage_healthy.Set(series_->is_storage_healthy() ? 1 : 0);
  std::vector<MetricFamily> families = series_->registry.Collect();
  for (const Series::Watched& watched : series_->watched) {
    families.push_back(FamilyOf(watched.name, watched.help, watched.type, watched.value()));
  }
  AppendModels(series_->look(), families);
  AppendProcess(families);
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace prequel
