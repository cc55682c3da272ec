// RocksStore's database: what its source files share. Internal to the folder.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/storage/rocks_snapshot_file.h"
#include "server/storage/rocks_store.h"
#include "server/sync/mutex.h"

namespace prequel {

inline rocksdb::Slice ToSlice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
inline std::string_view ToView(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

// RESOURCE_EXHAUSTED when the disk is full; else UNKNOWN.
absl::Status WriteError(const rocksdb::Status& status);

// DATA_LOSS, or UNAVAILABLE for what may pass.
absl::Status ReadError(const rocksdb::Status& status);

struct RocksStore::Database {
  // Constant after Open.
  rocksdb::WriteOptions write_options;
  std::vector<rocksdb::ColumnFamilyHandle*> families;  // destroyed before db
  std::unique_ptr<rocksdb::DB> db;

  rocksdb::ColumnFamilyHandle* meta() const { return families[0]; }
  rocksdb::ColumnFamilyHandle* models() const { return families[1]; }
  rocksdb::ColumnFamilyHandle* log() const { return families[2]; }
  rocksdb::ColumnFamilyHandle* snapshots() const { return families[3]; }

  Mutex admin_mu;  // one CreateModel or DeleteModel at a time; taken before mu
  LogId next_log_id ABSL_GUARDED_BY(admin_mu) = 1;

  Mutex mu;
  absl::Status health ABSL_GUARDED_BY(mu);
  int writing ABSL_GUARDED_BY(mu) = 0;  // threads that are in RocksDB with a write
  // Of snapshots that are being written; each used by the one thread that writes it.
  std::map<LogId, std::unique_ptr<RocksSnapshotFile>> unfinished ABSL_GUARDED_BY(mu);

  ~Database() {
    unfinished.clear();
    for (rocksdb::ColumnFamilyHandle* family : families) {
      if (db != nullptr) (void)db->DestroyColumnFamilyHandle(family);
    }
    if (db != nullptr) (void)db->Close();
  }

  absl::Status Health();
  absl::Status Write(rocksdb::WriteBatch& batch);
  absl::Status Enter(absl::FunctionRef<rocksdb::Status()> write);

  absl::Status WriteToFile(LogId log, const std::string& key, const std::string& value, bool first);
  // The chunks in the snapshot's file, if it has one, are durable.
  absl::Status KeepChunks(const StoredSnapshot& snapshot);
  // The file of the snapshot that is being written, if there is one; null. And without it.
  RocksSnapshotFile* Unfinished(LogId log);
  void Abandon(LogId log);
  // Deletes the files of which every key is of snapshots in [begin, end). REQUIRES: deleted keys.
  void DropFiles(const std::string& begin, const std::string& end);
  absl::Status Fail(const rocksdb::Status& status);
  // Gives every family something to flush, of no meaning and in memory alone: see BeginAfresh.
  rocksdb::Status Prime();
  bool HasRoom() const;
  rocksdb::Status BeginAfresh();
  absl::Status Recover();
  absl::Status LoadMeta();
  absl::StatusOr<std::string> FindModel(std::string_view name) const;
};

}  // namespace prequel
