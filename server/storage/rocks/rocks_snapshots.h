// The snapshots in a RocksDB. Internal to the folder.
#pragma once

#include <rocksdb/write_batch.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/storage/rocks/rocks_database.h"
#include "server/storage/rocks/rocks_snapshot_file.h"
#include "server/storage/rocks/rocks_write_gate.h"
#include "server/storage/snapshot_store.h"
#include "server/sync/mutex.h"

namespace prequel {

class RocksSnapshots final : public SnapshotStore {
 public:
  RocksSnapshots(RocksDatabase& database, RocksWriteGate& gate)
      : database_(database), gate_(gate) {}

  absl::Status WriteSnapshotChunk(ModelId model, std::uint64_t next_offset, std::uint32_t index,
                                  std::string_view chunk) override;
  absl::Status CommitSnapshot(const StoredSnapshot& snapshot,
                              std::span<const std::uint64_t> drop) override;
  absl::StatusOr<std::vector<StoredSnapshot>> ListSnapshots(ModelId model) const override;
  absl::Status ReadSnapshot(
      const StoredSnapshot& snapshot,
      absl::FunctionRef<absl::Status(std::string_view chunk)> visit) const override;

  // Finish: the snapshot whose chunks have been written is there once `batch` is.
  absl::Status Finish(const StoredSnapshot& snapshot, rocksdb::WriteBatch& batch);
  // Abandon drops the snapshot of `model` that is being written, if there is one.
  void Abandon(ModelId model);
  // Puts the deletion of all snapshots of `model` into `batch`; once that is written, Deleted frees
  // the space.
  void Delete(ModelId model, rocksdb::WriteBatch& batch);
  void Deleted(ModelId model);

 private:
  absl::Status WriteToFile(ModelId model, const std::string& key, const std::string& value,
                           bool first);
  // KeepChunks makes the chunks in the snapshot's file, if it has one, durable. UNAVAILABLE: they
  // are lost.
  absl::Status KeepChunks(const StoredSnapshot& snapshot);
  // The file of the snapshot that is being written; null when it has none.
  RocksSnapshotFile* Unfinished(ModelId model);
  // Headless gives the offsets of all chunks of `model` that stand there without a head, except
  // those at `but`.
  absl::StatusOr<std::vector<std::uint64_t>> Headless(ModelId model, std::uint64_t but) const;
  // Deletes the files of which every key is of snapshots in [begin, end). REQUIRES: deleted keys.
  void DropFiles(const std::string& begin, const std::string& end);

  RocksDatabase& database_;
  RocksWriteGate& gate_;
  Mutex mu_;
  // The files of snapshots that are being written; each used by the one thread that writes it.
  std::map<ModelId, std::unique_ptr<RocksSnapshotFile>> unfinished_ ABSL_GUARDED_BY(mu_);
};

}  // namespace prequel
