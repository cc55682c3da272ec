// The engine's bounds: everything that could grow without limit has one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "core/linalg/types.h"

namespace prequel {

// When snapshots are taken, and what is kept.
struct SnapshotOptions {
  // How many minibatches, or bytes of log, after the last snapshot the next one is taken; 0: not
  // for that reason. A restart folds at most about that much per model again.
  std::int64_t every_batches = 4096;
  std::int64_t every_bytes = std::int64_t{64} << 20;
  // A large snapshot is written no faster than this, so that the disk and the processors are left
  // to learning and queries; 0: as fast as it goes. Does not hold while the engine shuts down.
  std::int64_t bytes_per_second = std::int64_t{32} << 20;
  // How many of the newest snapshots are kept. Once there are as many, the log before the oldest of
  // them is dropped: with more of them, more can be lost, and more revisions returned to.
  int keep = 3;
  bool full_history = false;  // keep the whole log as well
  std::string build;          // goes into every snapshot: version and instruction set
};

struct EngineOptions {
  int workers = 0;  // threads that fold minibatches; 0: one per core, by CoreLimit

  int max_models = 10'000;

  // Bytes that models may take, by estimate: their states, what they are made of and what they work
  // with. Beyond it: RESOURCE_EXHAUSTED.
  std::int64_t max_model_bytes = std::int64_t{1} << 60;

  // Seconds of one core that an update, or a query, may take by estimate (engine/work.h). Beyond
  // it: INVALID_ARGUMENT.
  double max_update_seconds = 600;
  double max_query_seconds = 600;

  // Bytes of the numbers of one answer. Beyond it a question is INVALID_ARGUMENT: a small one may
  // ask for a very large answer.
  std::int64_t max_answer_bytes = 64 << 20;

  // The size of one minibatch. A batch beyond it is INVALID_ARGUMENT: it would never fit.
  Index max_batch_rows = 1 << 16;
  std::size_t max_batch_bytes = std::size_t{64} << 20;  // of its payload

  // Minibatches accepted and not yet answered. Deep enough that one stream with a few hundred
  // batches in flight always has a group to commit, shallow enough that a batch waits less than
  // a second. Beyond them: RESOURCE_EXHAUSTED.
  int max_queued_batches = 512;                           // per model
  std::size_t max_queued_bytes = std::size_t{512} << 20;  // all models, decoded batch and payload

  // Bytes of one group commit: bounds how long a batch waits behind others' bytes.
  std::size_t max_group_bytes = std::size_t{8} << 20;

  SnapshotOptions snapshots;
};

// INVALID_ARGUMENT names the option.
absl::Status CheckEngineOptions(const EngineOptions& options);

// The threads that `options` ask for, at least one.
int WorkersOf(const EngineOptions& options);

}  // namespace prequel
