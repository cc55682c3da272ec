// What one model is to do: records that are in its log, and snapshots that are asked for.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "server/engine/commit/delivery.h"
#include "server/engine/history/snapshotter.h"
#include "server/sync/mutex.h"

namespace prequel {

// Inbox knows whether a turn of its model is posted or running: there is one at a time.
// Thread-safe.
class Inbox {
 public:
  // What a turn finds to do.
  struct Work {
    std::unique_ptr<Delivery> delivery;  // may be null
    std::vector<SnapshotCallback> snapshots;
  };
  struct Leftovers {
    std::deque<std::unique_ptr<Delivery>> deliveries;
    std::vector<SnapshotCallback> snapshots;
  };

  // Put returns true when a turn is to be posted.
  bool Put(std::unique_ptr<Delivery> delivery);
  // This Put takes `done` unless the inbox is closed, and returns true when a turn is to be posted.
  bool Put(SnapshotCallback& done);

  // The next delivery, with all the snapshots that are asked for. Nothing once there is nothing to
  // do: the next Put asks for the next turn.
  std::optional<Work> NextOrSleep();

  // Close returns what is left, and no more snapshots are taken on. REQUIRES: no turn runs any
  // more.
  Leftovers Close();

 private:
  Mutex mu_;
  std::deque<std::unique_ptr<Delivery>> deliveries_ ABSL_GUARDED_BY(mu_);
  std::vector<SnapshotCallback> snapshots_ ABSL_GUARDED_BY(mu_);
  bool awake_ ABSL_GUARDED_BY(mu_) = false;  // a turn is posted or running
  bool closed_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace prequel
