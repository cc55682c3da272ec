// One open RocksDB: its column families, and how their errors read. Internal to the folder.
#pragma once

#include <rocksdb/db.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/storage/rocks/rocks_failures.h"
#include "server/storage/rocks/rocks_options.h"

namespace prequel {

inline rocksdb::Slice ToSlice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
inline std::string_view ToView(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

// RESOURCE_EXHAUSTED when the disk is full; else UNKNOWN.
absl::Status WriteError(const rocksdb::Status& status);

// DATA_LOSS, or UNAVAILABLE for what may pass.
absl::Status ReadError(const rocksdb::Status& status);

// Why `directory` cannot be opened.
absl::Status OpenError(const rocksdb::Status& status, const std::string& directory,
                       rocksdb::Env& env);

// Thread-safe as RocksDB is. Constant once open.
class RocksDatabase {
 public:
  // Errors as RocksStore::Open's.
  static absl::StatusOr<std::unique_ptr<RocksDatabase>> Open(const RocksOptions& options);
  // A database that is there, for reading alone, with `options`.
  static absl::StatusOr<std::unique_ptr<RocksDatabase>> OpenToRead(
      const rocksdb::DBOptions& options, const std::string& directory);
  ~RocksDatabase();
  RocksDatabase(const RocksDatabase&) = delete;
  RocksDatabase& operator=(const RocksDatabase&) = delete;

  rocksdb::DB& db() const { return *db_; }
  rocksdb::ColumnFamilyHandle* meta() const { return families_[0]; }
  rocksdb::ColumnFamilyHandle* models() const { return families_[1]; }
  rocksdb::ColumnFamilyHandle* log() const { return families_[2]; }
  rocksdb::ColumnFamilyHandle* snapshots() const { return families_[3]; }
  const std::vector<rocksdb::ColumnFamilyHandle*>& families() const { return families_; }
  bool sync() const { return sync_; }  // whether a write that matters is synced
  // Whether it takes files in as they are: until it has failed to write for the first time.
  bool takes_files() const { return !failures_->any(); }

 private:
  RocksDatabase() = default;

  const std::shared_ptr<RocksFailures> failures_ = std::make_shared<RocksFailures>();
  std::vector<rocksdb::ColumnFamilyHandle*> families_;  // destroyed before db_
  std::unique_ptr<rocksdb::DB> db_;
  bool sync_ = true;
};

}  // namespace prequel
