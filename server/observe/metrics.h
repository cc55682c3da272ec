// The server's metrics, for Prometheus. No label names a client, and those that name a model are
// bounded by SetLooks: how many series there are does not depend on what is served.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/engine/observer.h"
#include "server/observe/model_look.h"
#include "server/rpc/call_observer.h"

namespace prequel {

// How many models there are in all, and of how many something is to be known.
struct ModelCounts {
  std::int64_t all = 0;
  std::int64_t without_skill = 0;  // worse of late than the last target repeated
  // Models whose alarms of that cause are raised.
  std::int64_t changed_inputs = 0, changed_noise = 0, changed_weights = 0;
};

class Metrics final : public EngineObserver, public CallObserver {
 public:
  Metrics();
  ~Metrics() override;

  // SetBuild names the program, in a label of prequel_build_info.
  void SetBuild(const std::string& version, const std::string& architecture);

  // SetModels: `count` is asked at every scrape, on its thread; set before the first.
  void SetModels(std::function<ModelCounts()> count);
  // SetLooks: `look` says how single models do, as many as there are to be series of.
  void SetLooks(std::function<std::vector<ModelLook>()> look);
  void SetStorageHealthy(std::function<bool()> healthy);
  // AddGauge and AddCounter add one more of what another part knows: a gauge or, named *_total,
  // what only grows while the server runs.
  void AddGauge(const char* name, const char* help, std::function<double()> value);
  void AddCounter(const char* name, const char* help, std::function<double()> value);

  // SetReloaded is for files that the server reads again while it runs; `what` is of a small fixed
  // set. OK: what they hold is in use; else the server goes on with what it had.
  void SetReloaded(std::string_view what, bool ok);
  void SetCertificateExpiry(std::chrono::system_clock::time_point expires);

  void OnCall(const CallRecord& call) override;

  void OnRefused(std::string_view model, const absl::Status& status) override;
  void OnQueueDepth(std::size_t batches, std::size_t bytes) override;
  void OnCommit(std::size_t batches, std::size_t bytes, Duration duration,
                const absl::Status& status) override;
  void OnUpdate(std::string_view model, Index rows, Duration duration,
                const absl::Status& status) override;
  void OnRowsRefused(std::string_view model, Index rows) override;
  void OnPredict(std::string_view model, Index rows, Duration duration,
                 const absl::Status& status) override;
  void OnSnapshot(std::string_view model, std::uint64_t bytes, Duration duration,
                  const absl::Status& status) override;
  void OnSnapshotLost(std::string_view model, const absl::Status& status) override;
  void OnReplayDone(std::string_view model, const absl::Status& status) override;

  // The metrics in Prometheus' text format, version 0.0.4.
  std::string Text() const;

 private:
  struct Series;
  const std::unique_ptr<Series> series_;
};

}  // namespace prequel
