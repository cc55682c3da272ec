// What the engine tells, for whoever reads the server's log.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "server/engine/observer.h"
#include "server/sync/mutex.h"

namespace prequel {

class EngineLog final : public EngineObserver {
 public:
  void OnSnapshot(std::string_view model, std::uint64_t bytes, Duration duration,
                  const absl::Status& status) override;
  void OnSnapshotLost(std::string_view model, const absl::Status& status) override;
  void OnReplayProgress(std::string_view model, std::uint64_t records) override;
  void OnReplayDone(std::string_view model, const absl::Status& status) override;

 private:
  Mutex mu_;
  std::int64_t replayed_ ABSL_GUARDED_BY(mu_) = 0;  // models
  std::chrono::steady_clock::time_point next_line_ ABSL_GUARDED_BY(mu_) =
      std::chrono::steady_clock::now() + std::chrono::seconds(2);
};

}  // namespace prequel
