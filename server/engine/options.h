// The engine's bounds: everything that could grow without limit has one.
#pragma once

#include <cstddef>

#include "absl/status/status.h"
#include "core/linalg/types.h"

namespace prequel {

struct EngineOptions {
  int workers = 0;  // threads that fold minibatches; 0: one per hardware thread

  int max_models = 10'000;

  // One minibatch. A batch beyond them is INVALID_ARGUMENT: it would never fit.
  Index max_batch_rows = 1 << 16;
  std::size_t max_batch_bytes = std::size_t{64} << 20;  // of its record

  // Minibatches accepted and not yet answered. Deep enough that one stream with a few hundred
  // batches in flight always has a group to commit, shallow enough that a batch waits less than
  // a second. Beyond them: RESOURCE_EXHAUSTED.
  int max_queued_batches = 512;                           // per model
  std::size_t max_queued_bytes = std::size_t{512} << 20;  // all models, decoded batch and record

  // One group commit: bounds how long a batch waits behind others' bytes.
  std::size_t max_group_bytes = std::size_t{8} << 20;
};

// INVALID_ARGUMENT names the option.
absl::Status CheckEngineOptions(const EngineOptions& options);

}  // namespace prequel
