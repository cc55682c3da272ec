#include "server/storage/rocks/rocks_snapshots.h"

#include <rocksdb/convenience.h>

#include <utility>

#include "server/storage/snapshot_record.h"
#include "server/storage/store.h"

namespace prequel {
namespace {

// Calls `visit` with the first key of each snapshot of `model`, committed or not: its head's if it
// has one. Chunks are not read, save the first of a snapshot without a head.
absl::Status ForEachSnapshot(const RocksDatabase& database, ModelId model,
                             absl::FunctionRef<void(std::string_view, std::string_view)> visit) {
  const std::string end = SnapshotKeysEnd(model);
  const rocksdb::Slice upper_bound = end;
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &upper_bound;
  const std::unique_ptr<rocksdb::Iterator> it(
      database.db().NewIterator(options, database.snapshots()));
  for (it->Seek(SnapshotKey(model, 0)); it->Valid();) {
    const std::string key = it->key().ToString();
    visit(key, ToView(it->value()));
    it->Seek(SnapshotKey(model, DecodeSnapshotHead(key, {}).next_offset + 1));
  }
  return ReadError(it->status());
}

}  // namespace

// The first chunk, often the only one, goes through the write-ahead log, the others into a file:
// megabytes in the log would keep the next synced write of any model waiting until the disk has
// them. A database that takes no files gets them through the log nevertheless.
absl::Status RocksSnapshots::WriteSnapshotChunk(ModelId model, std::uint64_t next_offset,
                                                std::uint32_t index, std::string_view chunk) {
  const std::string key = SnapshotChunkKey(model, next_offset, index);
  const std::string value = EncodeSnapshotChunk(key, chunk);
  const bool begun = index > 1 && Unfinished(model) != nullptr;
  if (index > 0 && (begun || database_.takes_files())) {
    return WriteToFile(model, key, value, index == 1);
  }
  if (index == 1) Abandon(model);
  rocksdb::WriteBatch batch;
  batch.Put(database_.snapshots(), key, value);
  return gate_.WriteUnsynced(batch);
}

// A failure costs this snapshot only: the database has no part in it yet. While the store refuses
// writes there is no use in it, and a full disk has better use for the room.
absl::Status RocksSnapshots::WriteToFile(ModelId model, const std::string& key,
                                         const std::string& value, bool first) {
  if (first) {
    Abandon(model);
    rocksdb::DB& db = database_.db();
    auto begun = std::make_unique<RocksSnapshotFile>(db, database_.snapshots(),
                                                     RocksSnapshotFile::Path(db.GetName(), model));
    MutexLock lock(mu_);
    unfinished_[model] = std::move(begun);
  }
  RocksSnapshotFile* const file = Unfinished(model);
  if (file == nullptr) return absl::InternalError("a snapshot's chunks are written in order");
  absl::Status status = gate_.health();
  if (!status.ok()) {
    status = WritesRefused(status);
  } else if (const rocksdb::Status put = file->Put(key, value); !put.ok()) {
    status = WriteError(put);
  }
  if (!status.ok()) Abandon(model);
  return status;
}

RocksSnapshotFile* RocksSnapshots::Unfinished(ModelId model) {
  MutexLock lock(mu_);
  const auto it = unfinished_.find(model);
  return it == unfinished_.end() ? nullptr : it->second.get();
}

void RocksSnapshots::Abandon(ModelId model) {
  std::unique_ptr<RocksSnapshotFile> gone;  // beyond the lock: deleting a large file takes a while
  MutexLock lock(mu_);
  if (const auto it = unfinished_.find(model); it != unfinished_.end()) {
    gone = std::move(it->second);
    unfinished_.erase(it);
  }
}

absl::Status RocksSnapshots::KeepChunks(const StoredSnapshot& snapshot) {
  if (snapshot.chunks <= 1) return absl::OkStatus();
  RocksSnapshotFile* const file = Unfinished(snapshot.model);
  if (!database_.takes_files()) {
    if (file == nullptr) return absl::OkStatus();  // they are in the log
    Abandon(snapshot.model);
    return absl::UnavailableError("the disk was full while the snapshot was written: try again");
  }
  if (file == nullptr) return absl::InternalError("a snapshot's chunks are to be written first");
  const rocksdb::Status written = file->Finish();
  absl::Status kept =
      written.ok() ? gate_.Enter([&] { return file->Ingest(); }) : WriteError(written);
  Abandon(snapshot.model);
  return kept;
}

absl::Status RocksSnapshots::Finish(const StoredSnapshot& snapshot, rocksdb::WriteBatch& batch) {
  if (absl::Status status = KeepChunks(snapshot); !status.ok()) return status;
  batch.Put(database_.snapshots(), SnapshotKey(snapshot.model, snapshot.next_offset),
            EncodeSnapshotHead(snapshot));
  return absl::OkStatus();
}

// One synced write, which syncs the write-ahead log before it and with it the first chunk.
absl::Status RocksSnapshots::CommitSnapshot(const StoredSnapshot& snapshot,
                                            std::span<const std::uint64_t> drop) {
  const ModelId model = snapshot.model;
  absl::StatusOr<std::vector<std::uint64_t>> forgotten = Headless(model, snapshot.next_offset);
  if (!forgotten.ok()) return forgotten.status();
  forgotten->insert(forgotten->end(), drop.begin(), drop.end());
  rocksdb::WriteBatch batch;
  for (const std::uint64_t offset : *forgotten) {
    batch.DeleteRange(database_.snapshots(), SnapshotKey(model, offset),
                      SnapshotKey(model, offset + 1));
  }
  if (absl::Status status = Finish(snapshot, batch); !status.ok()) return status;
  if (absl::Status status = gate_.Write(batch); !status.ok()) return status;
  for (const std::uint64_t offset : *forgotten) {
    DropFiles(SnapshotKey(model, offset), SnapshotKey(model, offset + 1));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::uint64_t>> RocksSnapshots::Headless(ModelId model,
                                                                    std::uint64_t but) const {
  std::vector<std::uint64_t> offsets;
  const absl::Status listed =
      ForEachSnapshot(database_, model, [&](std::string_view key, std::string_view) {
        const std::uint64_t offset = DecodeSnapshotHead(key, {}).next_offset;
        if (!IsSnapshotKey(key) && offset != but) offsets.push_back(offset);
      });
  if (!listed.ok()) return listed;
  return offsets;
}

void RocksSnapshots::Delete(ModelId model, rocksdb::WriteBatch& batch) {
  batch.DeleteRange(database_.snapshots(), SnapshotKey(model, 0), SnapshotKeysEnd(model));
  Abandon(model);
}

void RocksSnapshots::Deleted(ModelId model) {
  DropFiles(SnapshotKey(model, 0), SnapshotKeysEnd(model));
}

void RocksSnapshots::DropFiles(const std::string& begin, const std::string& end) {
  const rocksdb::Slice first = begin, last = end;
  const rocksdb::RangePtr range(&first, &last);
  // Frees the space soon; its failure loses nothing.
  (void)rocksdb::DeleteFilesInRanges(&database_.db(), database_.snapshots(), &range, 1, false);
}

absl::StatusOr<std::vector<StoredSnapshot>> RocksSnapshots::ListSnapshots(ModelId model) const {
  std::vector<StoredSnapshot> snapshots;
  const absl::Status status =
      ForEachSnapshot(database_, model, [&](std::string_view key, std::string_view value) {
        if (IsSnapshotKey(key)) snapshots.push_back(DecodeSnapshotHead(key, value));
      });
  if (!status.ok()) return status;
  return snapshots;
}

absl::Status RocksSnapshots::ReadSnapshot(
    const StoredSnapshot& snapshot,
    absl::FunctionRef<absl::Status(std::string_view chunk)> visit) const {
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  for (std::uint32_t i = 0; i < snapshot.chunks; ++i) {
    const std::string key = SnapshotChunkKey(snapshot.model, snapshot.next_offset, i);
    rocksdb::PinnableSlice value;
    const rocksdb::Status got = database_.db().Get(options, database_.snapshots(), key, &value);
    if (!got.ok() && !got.IsNotFound() && !got.IsCorruption()) return ReadError(got);
    const absl::StatusOr<std::string_view> chunk =
        DecodeSnapshotChunk(snapshot, i, got.ok() ? ToView(value) : std::string_view());
    if (!chunk.ok()) return chunk.status();
    if (absl::Status status = visit(*chunk); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace prequel
