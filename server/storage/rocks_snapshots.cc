// RocksStore's snapshots.
#include <rocksdb/convenience.h>
#include <rocksdb/experimental.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "server/storage/record.h"
#include "server/storage/rocks_database.h"
#include "server/storage/snapshot_record.h"

namespace prequel {
namespace {

// Calls `visit` with the first key of each snapshot of `log`, committed or not: its head's if it
// has one. Chunks are not read, save the first of a snapshot without a head.
absl::Status ForEachSnapshot(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family, LogId log,
                             absl::FunctionRef<void(std::string_view, std::string_view)> visit) {
  const std::string end = SnapshotKey(log + 1, 0);
  const rocksdb::Slice upper_bound = end;
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &upper_bound;
  const std::unique_ptr<rocksdb::Iterator> it(db.NewIterator(options, family));
  for (it->Seek(SnapshotKey(log, 0)); it->Valid();) {
    const std::string key = it->key().ToString();
    visit(key, ToView(it->value()));
    it->Seek(SnapshotKey(log, DecodeSnapshotHead(key, {}).next_offset + 1));
  }
  return ReadError(it->status());
}

}  // namespace

// The first chunk, often the only one, goes through the write-ahead log, the others into a file:
// megabytes in the log would keep the next synced write of any model waiting until the disk has
// them.
absl::Status RocksStore::WriteSnapshotChunk(LogId log, std::uint64_t next_offset,
                                            std::uint32_t index, std::string_view chunk) {
  const std::string key = SnapshotChunkKey(log, next_offset, index);
  const std::string value = EncodeSnapshotChunk(key, chunk);
  if (index > 0) return database_->WriteToFile(log, key, value, index == 1);
  rocksdb::WriteBatch batch;
  batch.Put(database_->snapshots(), key, value);
  return database_->Enter([&] { return database_->db->Write({}, &batch); });
}

// A failure costs this snapshot only: the database has no part in it yet. While the store refuses
// writes there is no use in it, and a full disk has better use for the room.
absl::Status RocksStore::Database::WriteToFile(LogId log, const std::string& key,
                                               const std::string& value, bool first) {
  if (first) {
    Abandon(log);
    auto begun = std::make_unique<RocksSnapshotFile>(*db, snapshots(),
                                                     RocksSnapshotFile::Path(db->GetName(), log));
    MutexLock lock(mu);
    unfinished[log] = std::move(begun);
  }
  RocksSnapshotFile* const file = Unfinished(log);
  if (file == nullptr) return absl::InternalError("a snapshot's chunks are written in order");
  absl::Status status = Health();
  if (!status.ok()) {
    status = WritesRefused(status);
  } else if (const rocksdb::Status put = file->Put(key, value); !put.ok()) {
    status = WriteError(put);
  }
  if (!status.ok()) Abandon(log);
  return status;
}

RocksSnapshotFile* RocksStore::Database::Unfinished(LogId log) {
  MutexLock lock(mu);
  const auto it = unfinished.find(log);
  return it == unfinished.end() ? nullptr : it->second.get();
}

void RocksStore::Database::Abandon(LogId log) {
  std::unique_ptr<RocksSnapshotFile> gone;  // beyond the lock: deleting a large file takes a while
  MutexLock lock(mu);
  if (const auto it = unfinished.find(log); it != unfinished.end()) {
    gone = std::move(it->second);
    unfinished.erase(it);
  }
}

absl::Status RocksStore::Database::KeepChunks(const StoredSnapshot& snapshot) {
  if (snapshot.chunks <= 1) return absl::OkStatus();
  RocksSnapshotFile* const file = Unfinished(snapshot.log);
  if (file == nullptr) return absl::InternalError("a snapshot's chunks are to be written first");
  const rocksdb::Status written = file->Finish();
  absl::Status kept = written.ok() ? Enter([&] { return file->Ingest(); }) : WriteError(written);
  Abandon(snapshot.log);
  return kept;
}

// One synced write, which syncs the write-ahead log before it and with it the first chunk.
absl::Status RocksStore::CommitSnapshot(const StoredSnapshot& snapshot,
                                        std::span<const std::uint64_t> drop,
                                        std::uint64_t keep_from) {
  const LogId log = snapshot.log;
  if (absl::Status status = database_->KeepChunks(snapshot); !status.ok()) return status;
  rocksdb::WriteBatch batch;
  std::vector<std::uint64_t> forgotten;
  const auto forget = [&](std::uint64_t offset) {
    batch.DeleteRange(database_->snapshots(), SnapshotKey(log, offset),
                      SnapshotKey(log, offset + 1));
    forgotten.push_back(offset);
  };
  absl::Status listed = ForEachSnapshot(
      *database_->db, database_->snapshots(), log, [&](std::string_view key, std::string_view) {
        const std::uint64_t offset = DecodeSnapshotHead(key, {}).next_offset;
        if (!IsSnapshotKey(key) && offset != snapshot.next_offset) forget(offset);
      });
  if (!listed.ok()) return listed;
  for (const std::uint64_t offset : drop) forget(offset);
  batch.Put(database_->snapshots(), SnapshotKey(log, snapshot.next_offset),
            EncodeSnapshotHead(snapshot));
  const std::string begin = LogKey(log, 0), end = LogKey(log, keep_from);
  if (keep_from > 0) batch.DeleteRange(database_->log(), begin, end);
  if (absl::Status status = database_->Write(batch); !status.ok()) return status;
  // Frees the space soon; its failure loses nothing.
  for (const std::uint64_t offset : forgotten) {
    database_->DropFiles(SnapshotKey(log, offset), SnapshotKey(log, offset + 1));
  }
  const rocksdb::Slice first = begin, last = end;
  (void)rocksdb::experimental::SuggestCompactRange(database_->db.get(), database_->log(), &first,
                                                   &last);
  return absl::OkStatus();
}

void RocksStore::Database::DropFiles(const std::string& begin, const std::string& end) {
  const rocksdb::Slice first = begin, last = end;
  const rocksdb::RangePtr range(&first, &last);
  (void)rocksdb::DeleteFilesInRanges(db.get(), snapshots(), &range, 1, false);
}

absl::StatusOr<std::vector<StoredSnapshot>> RocksStore::ListSnapshots(LogId log) const {
  std::vector<StoredSnapshot> snapshots;
  const absl::Status status = ForEachSnapshot(*database_->db, database_->snapshots(), log,
                                              [&](std::string_view key, std::string_view value) {
                                                if (!IsSnapshotKey(key)) return;
                                                snapshots.push_back(DecodeSnapshotHead(key, value));
                                              });
  if (!status.ok()) return status;
  return snapshots;
}

absl::Status RocksStore::ReadSnapshot(
    const StoredSnapshot& snapshot,
    absl::FunctionRef<absl::Status(std::string_view chunk)> visit) const {
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  for (std::uint32_t i = 0; i < snapshot.chunks; ++i) {
    const std::string key = SnapshotChunkKey(snapshot.log, snapshot.next_offset, i);
    rocksdb::PinnableSlice value;
    const rocksdb::Status got = database_->db->Get(options, database_->snapshots(), key, &value);
    if (!got.ok() && !got.IsNotFound() && !got.IsCorruption()) return ReadError(got);
    const absl::StatusOr<std::string_view> chunk =
        DecodeSnapshotChunk(snapshot, i, got.ok() ? ToView(value) : std::string_view());
    if (!chunk.ok()) return chunk.status();
    if (absl::Status status = visit(*chunk); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace prequel
