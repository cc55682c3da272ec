// The bytes of stored snapshots; server/formats.md is their definition.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/storage/snapshot_store.h"

namespace prequel {

// A head's key; a chunk's continues it.
std::string SnapshotKey(ModelId model, std::uint64_t next_offset);
std::string SnapshotChunkKey(ModelId model, std::uint64_t next_offset, std::uint32_t index);
// Behind every key of `model`, and before those of the next.
std::string SnapshotKeysEnd(ModelId model);

std::string EncodeSnapshotHead(const StoredSnapshot& snapshot);
// Damage to the value is reported in the result's `problem`. REQUIRES: key is a SnapshotKey.
StoredSnapshot DecodeSnapshotHead(std::string_view key, std::string_view value);
bool IsSnapshotKey(std::string_view key);

std::string EncodeSnapshotChunk(std::string_view key, std::string_view chunk);
// The chunk points into `value`. DATA_LOSS names model, offset and chunk.
absl::StatusOr<std::string_view> DecodeSnapshotChunk(const StoredSnapshot& snapshot,
                                                     std::uint32_t index, std::string_view value);
absl::Status SnapshotLost(const StoredSnapshot& snapshot, std::string_view what);

}  // namespace prequel
