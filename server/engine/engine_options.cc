#include "server/engine/engine_options.h"

#include "core/config/field_error.h"
#include "server/memory/machine.h"

namespace prequel {

absl::Status CheckEngineOptions(const EngineOptions& options) {
  if (options.workers < 0 || options.workers > 1024) {
    return FieldError("workers", "must be between 0 and 1024");
  }
  if (options.max_models < 1) return FieldError("max_models", "must be at least 1");
  if (options.max_model_bytes < 1) return FieldError("max_model_bytes", "must be at least 1");
  if (!(options.max_update_seconds > 0)) {
    return FieldError("max_update_seconds", "must be positive");
  }
  if (!(options.max_query_seconds > 0)) return FieldError("max_query_seconds", "must be positive");
  if (options.max_batch_rows < 1) return FieldError("max_batch_rows", "must be at least 1");
  if (options.max_batch_bytes < 1) return FieldError("max_batch_bytes", "must be at least 1");
  if (options.max_queued_batches < 1) {
    return FieldError("max_queued_batches", "must be at least 1");
  }
  if (options.max_queued_bytes < 1) return FieldError("max_queued_bytes", "must be at least 1");
  if (options.max_group_bytes < 1) return FieldError("max_group_bytes", "must be at least 1");
  const SnapshotOptions& snapshots = options.snapshots;
  if (snapshots.every_batches < 0) return FieldError("every_batches", "must not be negative");
  if (snapshots.every_bytes < 0) return FieldError("every_bytes", "must not be negative");
  if (snapshots.bytes_per_second < 0) {
    return FieldError("bytes_per_second", "must not be negative");
  }
  if (snapshots.keep < 1) return FieldError("keep", "must be at least 1");
  return absl::OkStatus();
}

int WorkersOf(const EngineOptions& options) {
  if (options.workers > 0) return options.workers;
  return CoreLimit();
}

}  // namespace prequel
