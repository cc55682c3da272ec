// The models that were used last, and when they learned.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/engine/observer.h"
#include "server/sync/mutex.h"

namespace prequel {

// RecentModels knows a bounded number of models: the one that has not been used for the longest
// makes room. Thread-safe; nobody holds the lock for longer than a few pointer moves.
class RecentModels final : public EngineObserver {
 public:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    std::string name;
    std::optional<Clock::time_point> learned;  // when it did last, since the server started
  };

  // `most`: how many models; 0: none.
  explicit RecentModels(int most) : most_(static_cast<std::size_t>(most)) {}

  void OnUpdate(std::string_view model, Index rows, Duration duration,
                const absl::Status& status) override;
  void OnPredict(std::string_view model, Index rows, Duration duration,
                 const absl::Status& status) override;
  void OnReplayDone(std::string_view model, const absl::Status& status) override;

  // Forget: `model` is no more.
  void Forget(std::string_view model);
  // All models, the one that was used last first.
  std::vector<Entry> All() const;

 private:
  void Use(std::string_view model, bool learned);

  using Entries = std::list<Entry>;

  const std::size_t most_;
  mutable Mutex mu_;
  Entries entries_ ABSL_GUARDED_BY(mu_);
  std::map<std::string, Entries::iterator, std::less<>> places_ ABSL_GUARDED_BY(mu_);
};

}  // namespace prequel
