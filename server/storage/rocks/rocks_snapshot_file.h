// The chunks of one snapshot on their way into a RocksDB. Internal to the folder.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/sst_file_writer.h>

#include <string>

#include "server/storage/ids.h"

namespace prequel {

// RocksSnapshotFile writes a table at its caller's pace, which then becomes the database's as it
// is: megabytes that no synced write has to wait for, that are not in memory, and that no
// compaction moves.
class RocksSnapshotFile {
 public:
  // Replaces the file of that name.
  RocksSnapshotFile(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family, const std::string& path);
  // Deletes the file.
  ~RocksSnapshotFile();
  RocksSnapshotFile(const RocksSnapshotFile&) = delete;
  RocksSnapshotFile& operator=(const RocksSnapshotFile&) = delete;

  // Put leaves some errors for Finish to tell. REQUIRES: `key` comes after the one before it.
  rocksdb::Status Put(const rocksdb::Slice& key, const rocksdb::Slice& value);
  // After Finish, everything that was put is in the file. To be called once.
  rocksdb::Status Finish();
  // Ingest makes all of it the database's at once, durably. REQUIRES: finished; the database takes
  // files.
  rocksdb::Status Ingest();

  // RemoveAll deletes the files that a crash has left behind in `directory`.
  static void RemoveAll(rocksdb::Env& env, const std::string& directory);
  static std::string Path(const std::string& directory, ModelId model);

 private:
  rocksdb::DB& db_;
  rocksdb::ColumnFamilyHandle* const family_;
  const std::string path_;
  rocksdb::SstFileWriter writer_;
  rocksdb::Status status_;
};

}  // namespace prequel
