// Snapshots of models: what the fold over a log's first records came to, as opaque bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/storage/ids.h"

namespace prequel {

// The largest chunk. A snapshot is written and read chunk by chunk, so that no store needs room
// for the whole of one.
inline constexpr std::size_t kMaxSnapshotChunk = std::size_t{1} << 20;

struct StoredSnapshot {
  ModelId model{};
  LogId log{};                    // that the model follows
  std::uint64_t next_offset = 0;  // of the log: every record before it is in the snapshot
  std::int64_t revision = 0;
  std::int64_t create_time_us = 0;  // microseconds since the Unix epoch
  std::uint32_t chunks = 0;
  std::uint64_t bytes = 0;  // of all chunks
  std::string build;        // who wrote it: version and instruction set
  absl::Status problem;     // DATA_LOSS: only `model` and `next_offset` could be read
};

// Thread-safe. At most one snapshot of a model is being written at a time.
class SnapshotStore {
 public:
  virtual ~SnapshotStore() = default;

  // Writes chunk `index` of the snapshot of `model` at `next_offset`. It need not be durable, and
  // is nothing before CommitSnapshot. REQUIRES: chunk.size() <= kMaxSnapshotChunk.
  virtual absl::Status WriteSnapshotChunk(ModelId model, std::uint64_t next_offset,
                                          std::uint32_t index, std::string_view chunk) = 0;

  // Makes the snapshot whose chunks have been written, and forgets those of its model at the
  // offsets `drop`: atomically and durably once it returns OK. Chunks of snapshots that were never
  // committed go with it.
  virtual absl::Status CommitSnapshot(const StoredSnapshot& snapshot,
                                      std::span<const std::uint64_t> drop) = 0;

  // The committed snapshots of `model`, oldest first.
  virtual absl::StatusOr<std::vector<StoredSnapshot>> ListSnapshots(ModelId model) const = 0;

  // Calls `visit` with the chunks of `snapshot`, in order. An error of `visit` ends the reading and
  // is returned. DATA_LOSS names model, offset and chunk of what is missing or damaged.
  virtual absl::Status ReadSnapshot(
      const StoredSnapshot& snapshot,
      absl::FunctionRef<absl::Status(std::string_view chunk)> visit) const = 0;
};

}  // namespace prequel
