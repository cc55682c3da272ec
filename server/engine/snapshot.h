// What readers see of a model: one immutable value per revision.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "core/learner/learner.h"
#include "server/engine/clock.h"

namespace prequel {

// The state that `revision` updates led to. Never changes; holding it keeps only it alive.
struct Snapshot {
  std::int64_t revision = 0;      // minibatches folded in
  std::uint64_t next_offset = 0;  // of the log: every record before it has been folded
  std::shared_ptr<const LearnerState> state;
};

// One model as GetModel and ListModels show it.
struct ModelInfo {
  std::string name;
  TimePoint create_time;
  absl::Status problem;                    // OK: serving. UNAVAILABLE: still replaying
  std::shared_ptr<const Learner> learner;  // null when the stored configuration is unreadable
  Snapshot snapshot;                       // `state` is null unless serving
};

}  // namespace prequel
